-- What the address files of the configuration call their addresses, to join.
CREATE TABLE IF NOT EXISTS firn.address_label (
  address VARCHAR NOT NULL,
  label VARCHAR NOT NULL
);
COMMENT ON TABLE firn.address_label IS 'Labels of addresses: the second column, or the column label, of the address files in the configuration.';
COMMENT ON COLUMN firn.address_label.address IS 'EVM address, or bech32 without chain alias; lower case.';
COMMENT ON COLUMN firn.address_label.label IS 'What the files call it; of several labels all, in their order.';
