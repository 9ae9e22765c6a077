import type { Ports } from './places.ts';

/** One node of Trino. */
export interface TrinoNode {
  readonly name: string;
  readonly port: number;
  readonly isCoordinator: boolean;
}

/** The name and the password of everything in a cluster of one machine, which listens on 127.0.0.1 alone. */
export const account = { user: 'firn', password: 'firnsecret', bucket: 'firn' } as const;

export const trinoNodes = ({ trino, workers }: Ports): TrinoNode[] => [
  { name: 'coordinator', port: trino, isCoordinator: true },
  ...workers.map((port, i) => ({ name: `worker${i + 1}`, port, isCoordinator: false })),
];

/** The files below a node's data folder, by name. Small heaps: they are for a try, not for work. */
export function trinoFiles(node: TrinoNode, ports: Ports, exchange: string): Record<string, string> {
  const coordinator = `http://127.0.0.1:${ports.trino}`;
  const s3 = {
    'fs.native-s3.enabled': true,
    's3.endpoint': `http://127.0.0.1:${ports.bucket}`,
    's3.region': 'us-east-1',
    's3.path-style-access': true,
    's3.aws-access-key': account.user,
    's3.aws-secret-key': account.password,
  };
  return {
    'etc/node.properties': properties({ 'node.environment': 'firn', 'node.id': node.name, 'node.data-dir': '.' }),
    'etc/config.properties': properties({
      coordinator: node.isCoordinator,
      'http-server.http.port': node.port,
      'node.internal-address': '127.0.0.1',
      'node.bind-ip': '127.0.0.1',
      'discovery.uri': coordinator,
      // Workers walk all tasks that they know of five times a second. By default they know those of the last quarter of an hour.
      'task.info.max-age': '1m',
      'query.min-expire-age': '1m',
      // A worker that is killed answers no more: a statement waits for so long before it does without it.
      'query.remote-task.max-error-duration': '20s',
      'query.max-memory': '2GB',
      'query.max-memory-per-node': '700MB',
      'memory.heap-headroom-per-node': '300MB',
      'fault-tolerant-execution-task-memory': '250MB',
      'fault-tolerant-execution-coordinator-task-memory': '200MB',
      ...(node.isCoordinator && { 'node-scheduler.include-coordinator': false }),
    }),
    'etc/exchange-manager.properties': properties({
      'exchange-manager.name': 'filesystem',
      'exchange.base-directories': `file://${exchange}`,
    }),
    'etc/catalog/lake.properties': properties({
      'connector.name': 'iceberg',
      'iceberg.catalog.type': 'jdbc',
      'iceberg.jdbc-catalog.catalog-name': 'firn',
      'iceberg.jdbc-catalog.driver-class': 'org.postgresql.Driver',
      'iceberg.jdbc-catalog.connection-url': `jdbc:postgresql://127.0.0.1:${ports.postgres}/firn`,
      'iceberg.jdbc-catalog.connection-user': account.user,
      'iceberg.jdbc-catalog.connection-password': account.password,
      'iceberg.jdbc-catalog.default-warehouse-dir': `s3://${account.bucket}/lake`,
      'iceberg.jdbc-catalog.schema-version': 'V1',
      ...s3,
    }),
    'etc/catalog/stage.properties': properties({
      'connector.name': 'hive',
      'hive.metastore': 'file',
      'hive.metastore.catalog.dir': `s3://${account.bucket}/hive`,
      'hive.security': 'allow-all',
      'hive.timestamp-precision': 'MICROSECONDS',
      'hive.parquet.use-column-names': true,
      'hive.non-managed-table-writes-enabled': true,
      ...s3,
    }),
  };
}

/** What Java is started with; the working directory is the node's data folder. */
export const trinoArguments = (node: TrinoNode, program: string): string[] => [
  '-server',
  '-Xmx1500M',
  '-XX:+UseSerialGC',
  // Such small queries take seconds to plan and no time to run: the optimising compiler costs more than it gives back.
  '-XX:TieredStopAtLevel=1',
  '-XX:+ExitOnOutOfMemoryError',
  '-Djdk.attach.allowAttachSelf=true',
  '-Dfile.encoding=UTF-8',
  '--enable-native-access=ALL-UNNAMED',
  `-Dnode.id=${node.name}`,
  '-Dnode.environment=firn',
  '-Dnode.data-dir=.',
  '-Dconfig=etc/config.properties',
  '-cp',
  `${program}/lib/*`,
  'io.trino.server.TrinoServer',
];

/** The tables in which Iceberg's catalogue stands: Trino does not make them. */
export const icebergCatalogSql = `
CREATE TABLE iceberg_tables (
  catalog_name VARCHAR(255) NOT NULL, table_namespace VARCHAR(255) NOT NULL, table_name VARCHAR(255) NOT NULL,
  metadata_location VARCHAR(1000), previous_metadata_location VARCHAR(1000), iceberg_type VARCHAR(5),
  PRIMARY KEY (catalog_name, table_namespace, table_name)
);
CREATE TABLE iceberg_namespace_properties (
  catalog_name VARCHAR(255) NOT NULL, namespace VARCHAR(255) NOT NULL, property_key VARCHAR(255) NOT NULL, property_value VARCHAR(1000),
  PRIMARY KEY (catalog_name, namespace, property_key)
);`;

const properties = (values: Readonly<Record<string, string | number | boolean>>): string =>
  `${Object.entries(values)
    .map(([name, value]) => `${name}=${value}`)
    .join('\n')}\n`;
