-- From where on it was read, as the configuration or a backfill said it: workers read on from where a partition stands, whatever `from` says later.
ALTER TABLE firn.partition ADD COLUMN begun text;
