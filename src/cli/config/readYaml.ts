import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Document, isScalar, LineCounter, type Node, parseDocument, visit, type YAMLParseError } from 'yaml';
import { FirnError } from '../../core/firnError.ts';
import { mayHoldSecret } from '../../core/text/redact.ts';
import { yamlPlace } from './yamlPlace.ts';

/** A configuration file as it was read. */
export interface ReadYaml {
  readonly text: string;
  readonly values: unknown;
  /** File, line and column of a member. */
  placeOf(path: readonly PropertyKey[]): string;
}

/**
 * @param text what is read in place of the file
 * @throws FirnError `config` with file and line
 */
export function readYaml(file: string, text: string = readText(file)): ReadYaml {
  const lines = new LineCounter();
  const document = parseDocument(text, { lineCounter: lines, prettyErrors: true, merge: true, uniqueKeys: false });
  const [broken] = document.errors;
  if (broken) throw new FirnError('config', `${file} is not valid YAML: ${yamlProblem(broken)}`);
  const refuse = ({ range }: Node, sentence: string) => {
    const { line, col } = lines.linePos(range?.[0] ?? 0);
    throw new FirnError('config', `${file}:${line}:${col}: ${sentence}`);
  };
  refuseUnreadable(document, refuse);
  refuseRepeated(document, refuse);
  return { text, values: valuesOf(document, file), placeOf: (path) => `${file}${yamlPlace(document, lines, path)}` };
}

function readText(file: string): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(readFileSync(file));
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    const known: Readonly<Record<string, string>> = {
      ERR_ENCODING_INVALID_ENCODED_DATA: `${file} is not text in UTF-8. Save it as UTF-8: other bytes would change names and paths.`,
      ENOENT: `There is no configuration ${file}. Run "firn init" to write one, or name one with --config.`,
      EISDIR: `${file} is a folder, not a configuration. Name the file in it: --config ${join(file, 'firn.yaml')}`,
    };
    throw new FirnError('config', known[code ?? ''] ?? `Could not read ${file}: ${message}.`, { cause: error });
  }
}

/** Numbers that a double would change, and addresses without quotes, as the text that they are. */
function valuesOf(document: Document.Parsed, file: string): unknown {
  visit(document, {
    Scalar(_, node) {
      const { value, source } = node;
      if (
        typeof value === 'number' &&
        (Number.isInteger(value) ? !Number.isSafeInteger(value) || isAddress(source) : !Number.isFinite(value))
      )
        node.value = source;
    },
  });
  try {
    return document.toJS() ?? {};
  } catch (error) {
    const { message } = error as Error;
    const said = mayHoldSecret(message) ? 'an alias (*name) without its anchor. Its name is not shown' : message;
    throw new FirnError('config', `${file} is not valid YAML: ${said}.`);
  }
}

/** An address may be a number with zeros before it. */
const isAddress = (source: string | undefined) => /^0x[0-9a-f]{40}$/i.test(source ?? '');

/** Throws what is wrong, with the place of a node. */
type Refuse = (node: Node, sentence: string) => void;

/**
 * Refuses an alias inside of what it names, a NUL, which no path and no request can hold, and a variable in another form than `${env:NAME}`, which
 * would be sent as it stands. It is not shown: it may be part of a secret.
 */
function refuseUnreadable(document: Document.Parsed, refuse: Refuse): void {
  visit(document, {
    Alias(_, node, holders) {
      if (holders.some((holder) => holder === node.resolve(document)))
        refuse(node, 'this alias stands in what it names.');
    },
    Scalar(_, node) {
      if (typeof node.value === 'string' && node.value.includes('\0'))
        refuse(node, 'this text holds a NUL (\\0), which nothing here can have. Remove it.');
      if (typeof node.value === 'string' && /\$\{(?!env:[^}]+\})/.test(node.value))
        refuse(
          node,
          `what begins with "\${" there is no variable. Write \${env:NAME}; a text that holds "\${" itself goes into a variable.`,
        );
    },
  });
}

/** Refuses a name that a map has twice. The library would compare each name with all before it, for minutes where there are tens of thousands. */
function refuseRepeated(document: Document.Parsed, refuse: Refuse): void {
  visit(document, {
    Map(_, { items }) {
      const met = new Set<unknown>();
      for (const { key } of items) {
        if (!isScalar(key)) continue;
        if (met.has(key.value)) {
          const name = key.source && !mayHoldSecret(key.source) ? `"${key.source}"` : 'this name';
          refuse(key, `${name} stands here twice. Keep one of the two.`);
        }
        met.add(key.value);
      }
    },
  });
}

/** What is wrong with the YAML, and the line where: unless that holds what looks like a secret. */
function yamlProblem({ code, message, linePos }: YAMLParseError): string {
  if (code === 'MULTIPLE_DOCS')
    return `a second document begins at line ${linePos?.[0].line ?? 1} (---). A configuration is one: name another file for another warehouse.`;
  if (!mayHoldSecret(message)) return message.trim();
  const { line, col } = linePos?.[0] ?? { line: 1, col: 1 };
  return `something is wrong at line ${line}, column ${col}. What is there is not shown: it may hold a secret.`;
}
