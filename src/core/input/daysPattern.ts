/** A number of days such as 400d: of more than five digits they lead to times that nothing else here can write. */
export const daysPattern = /^[1-9]\d{0,4}d$/;
