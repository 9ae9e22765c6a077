import { isMap, parseDocument, stringify, type YAMLMap } from 'yaml';
import { FirnError } from '../../core/firnError.ts';

/** What to add to a configuration. */
export interface ConfigExtension {
  /** Folder, relative to the file. */
  readonly extend: string;
  /** The source asks the node that is configured; the URL is for where none is. */
  readonly source: { readonly name: string; readonly url: string };
  /** Stream without parameters, which the first pipeline is to read. */
  readonly stream: string;
}

/**
 * The text of a configuration with a folder of own streams, one source and one stream of it. Everything else stays as it was written.
 *
 * @throws FirnError `config` where there is nothing to add to: no pipeline, or an extension already
 */
export function extendConfig(text: string, { extend, source, stream }: ConfigExtension): string {
  const document = parseDocument(text);
  if (document.has('extend'))
    throw new FirnError('config', `The configuration names a folder already: extend: ${document.get('extend')}.`);
  const pipelines = document.get('pipelines', true);
  // As it is written: a variable stays one.
  const url = document.getIn(['sources', 'node', 'url']) ?? source.url;
  const streams = isMap(pipelines) ? pipelines.items[0]?.value : undefined;
  const places: [unknown, string][] = [
    [isMap(streams) ? streams.get('streams', true) : undefined, `${stream}: {}`],
    [document.get('sources', true), `${source.name}: { url: ${JSON.stringify(url)} }`],
    [document.contents, stringify({ extend }).trim()],
  ];
  return places
    .map(([map, entry]) => {
      if (isMap(map)) return insertion(text, map, entry);
      throw new FirnError(
        'config',
        'The configuration has no sources, or no pipeline with streams, to which an example could be added.',
      );
    })
    .sort((a, b) => b.at - a.at)
    .reduce((changed, { at, written }) => changed.slice(0, at) + written + changed.slice(at), text);
}

/** What to write where, so that an entry comes first in a map. */
function insertion(text: string, { flow, items, range }: YAMLMap, entry: string): { at: number; written: string } {
  const begin = range?.[0] ?? 0;
  if (flow) return { at: begin + 1, written: ` ${entry}${items.length > 0 ? ',' : ' '}` };
  const indent = begin - (text.lastIndexOf('\n', begin - 1) + 1);
  return { at: begin, written: `${entry}\n${' '.repeat(indent)}` };
}
