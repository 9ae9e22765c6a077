/** Whether DuckDB's type of this name is one of numbers. */
export const isNumberType = (type: string): boolean =>
  /^(U?(TINY|SMALL|BIG|HUGE)?INT(EGER)?|DECIMAL.*|DOUBLE|FLOAT)$/.test(type);
