-- Where the first process wrote: others that name another stage, or tables elsewhere, would each fill their own.
ALTER TABLE firn.warehouse ADD COLUMN IF NOT EXISTS stage text, ADD COLUMN IF NOT EXISTS lake text;
