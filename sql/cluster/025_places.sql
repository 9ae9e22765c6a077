-- Where the first process wrote: others that name another stage, or tables elsewhere, would each fill their own.
ALTER TABLE firn.warehouse ADD COLUMN stage text, ADD COLUMN lake text;
