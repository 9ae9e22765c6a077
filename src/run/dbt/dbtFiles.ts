import { stringify } from 'yaml';
import type { CatalogueTable } from '../../publish/files/publishedTables.ts';
import type { Audit } from '../../transform/audits/parseAudit.ts';
import { withSources } from './withSources.ts';

/** The catalogue as which dbt attaches the reader database. */
const dbtCatalogue = 'analytics';

/** What an exposure shows of a notebook. */
export interface NotebookFacts {
  /** Its file without `.ipynb`, such as `04-staking`. */
  readonly name: string;
  readonly title: string;
  readonly description: string;
  /** Tables and views that its SQL reads, as `schema.table`. */
  readonly reads: readonly string[];
}

/** What a project is written for. */
export interface Published {
  /** Path of the reader database. */
  readonly database: string;
  readonly tables: readonly Pick<CatalogueTable, 'schema' | 'name' | 'comment' | 'columns'>[];
  /** Names of the macros of the reader database, which audits call. */
  readonly macros: readonly string[];
  /** Audits with what they read, as `schema.table`. */
  readonly audits: readonly (Audit & { readonly reads: readonly string[] })[];
  readonly notebooks: readonly NotebookFacts[];
}

/** The first line of files that the next `firn dbt-project` may replace. */
export const generatedMark = 'Written by "firn dbt-project", which rewrites it each time.';

/** Files of a dbt project by their paths: those that belong to the user once they are there, and those that are rewritten each time. */
export interface DbtFiles {
  readonly own: Readonly<Record<string, string>>;
  readonly generated: Readonly<Record<string, string>>;
}

/** A dbt project over what is published: its sources, a test for every audit whose relations are published, an exposure for every notebook. */
export function dbtFiles({ database, tables, macros, audits, notebooks }: Published): DbtFiles {
  const known = new Set(tables.map(({ schema, name }) => `${schema}.${name}`));
  // Every database has the tables of its catalogue.
  const isThere = (name: string) => known.has(name) || name.startsWith('information_schema.');
  const sources = [...new Set(tables.map(({ schema }) => schema))].map((schema) => [
    `models/firn/${schema}.yml`,
    yamlFile({ version: 2, sources: [sourceOf(schema, tables)] }),
  ]);
  const tests = audits
    .filter(({ reads }) => reads.every(isThere))
    .map((audit) => [`tests/firn/${audit.name}.sql`, testOf(audit, known, macros)]);
  const exposures = notebooks.map((notebook) => exposureOf(notebook, known));
  return {
    own: {
      'dbt_project.yml': stringify(project),
      'profiles.yml': stringify(profiles(database)),
      '.gitignore': 'target/\nlogs/\ndbt_packages/\n*.duckdb\n*.duckdb.wal\n',
      'models/trusted_metric.sql': firstModel,
      'models/trusted_metric.yml': stringify(firstModelFacts),
    },
    generated: {
      ...Object.fromEntries(sources),
      'models/firn/exposures.yml': yamlFile({ version: 2, exposures }),
      ...Object.fromEntries(tests),
    },
  };
}

const project = {
  name: 'firn',
  version: '1.0.0',
  profile: 'firn',
  'model-paths': ['models'],
  'test-paths': ['tests'],
  models: { firn: { '+materialized': 'table' } },
  flags: { send_anonymous_usage_stats: false },
};

const profiles = (database: string) => ({
  firn: {
    target: 'dev',
    outputs: {
      dev: {
        type: 'duckdb',
        // What dbt builds lies beside the project: the reader database is replaced with every version.
        path: 'firn_dbt.duckdb',
        threads: 2,
        attach: [
          { path: `{{ env_var('FIRN_DATABASE', ${jinjaText(database)}) }}`, alias: dbtCatalogue, read_only: true },
        ],
      },
    },
  },
});

const firstModel = `-- A first model of your own: every metric that is covered and that no served number contradicts.
SELECT m.chain_id, m.metric, m.time_interval, m.bucket, m.numerator, m.denominator, r.verdict
FROM {{ source('mart', 'metric') }} AS m
LEFT JOIN {{ source('mart', 'reconciliation') }} AS r
  ON r.chain_id = m.chain_id AND r.metric = m.metric AND r.time_interval = m.time_interval AND r.bucket = m.bucket
WHERE m.covered AND coalesce(r.verdict, '') <> 'differs'
`;

const firstModelFacts = {
  version: 2,
  models: [
    {
      name: 'trusted_metric',
      description: 'Every metric that is covered and that no served number contradicts.',
      columns: ['chain_id', 'metric', 'time_interval', 'bucket'].map((name) => ({
        name,
        data_tests: ['not_null'],
      })),
    },
  ],
};

function sourceOf(schema: string, tables: Published['tables']) {
  return {
    name: schema,
    database: dbtCatalogue,
    schema,
    tables: tables
      .filter((table) => table.schema === schema)
      .map(({ name, comment, columns }) => ({
        name,
        ...described(comment),
        columns: columns.map((column) => ({ name: column.name, data_type: column.type, ...described(column.comment) })),
      })),
  };
}

const described = (text: string | null) => (text === null ? {} : { description: plainText(text) });

function testOf(audit: Published['audits'][number], known: ReadonlySet<string>, macros: readonly string[]): string {
  const severity = audit.severity === 'blocks' ? 'error' : 'warn';
  return [
    `-- ${generatedMark}`,
    `{{ config(severity='${severity}', meta={'protects': ${jinjaText(audit.protects.join(', '))}}) }}`,
    `-- ${plainText(audit.description)}`,
    withSources(audit.sql, { known, macros, catalogue: dbtCatalogue }),
    '',
  ].join('\n');
}

function exposureOf({ name, title, description, reads }: NotebookFacts, known: ReadonlySet<string>) {
  return {
    name: `notebook_${name.replaceAll(/\W/g, '_')}`,
    label: plainText(title),
    type: 'notebook',
    description: plainText(description),
    owner: { name: 'firn' },
    depends_on: reads
      .filter((table) => known.has(table))
      .map((table) => {
        const [schema, relation] = table.split('.');
        return `source('${schema}', '${relation}')`;
      }),
  };
}

const yamlFile = (value: object) => `# ${generatedMark}\n${stringify(value)}`;

/** dbt reads Jinja in descriptions: braces in a text must stay braces. */
const plainText = (text: string) => text.replaceAll(/\s+/g, ' ').replaceAll(/\{(?=[{%#])/g, '{ ');

const jinjaText = (text: string) => `'${text.replaceAll(/['\\]/g, '\\$&')}'`;
