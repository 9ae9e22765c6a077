/** The last second that a TIMESTAMP column can hold with room to spare: the end of the year 9999, in Unix seconds. */
export const lastSecond = 253_402_300_799;
