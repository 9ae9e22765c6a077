import { node } from '../../../pipelines/node/source.ts';
import { FirnError } from '../../core/firnError.ts';
import { stopIfAborted } from '../../publish/stopIfAborted.ts';
import { type SourceReport, verifyAgainstSource } from '../../run/evidence/verifyAgainstSource.ts';
import type { Project } from '../../run/openProject.ts';
import { readConfig } from '../config/config.ts';
import { sourceDocument } from '../json/verifyDocument.ts';
import { withProject } from '../open/withProject.ts';
import type { CliContext } from '../registerCommand.ts';
import { textTable } from '../text/textTable.ts';

/** `firn verify --against-source`: asks the node about containers and P-Chain blocks chosen at random. */
export async function verifySource({ global, console, signal }: CliContext, sample: number): Promise<number> {
  const settings = readConfig(global);
  if (!settings.sources[node.name])
    throw new FirnError(
      'config',
      'firn verify --against-source asks the node. Add sources.node.url to the configuration.',
    );
  const work = async (project: Project): Promise<SourceReport> => {
    const sources = await project.openSources();
    try {
      const fetch = sources.fetch[node.name];
      if (!fetch) throw new FirnError('config', 'The source node is not configured.');
      return await verifyAgainstSource({
        warehouse: project.warehouse,
        fetch,
        sample,
        signal,
        progress: (done, total) => console.bar.draw('verify', done / total, `${done}/${total}`),
      });
    } finally {
      await sources.close();
    }
  };
  const report = await withProject({ settings }, work, { signal, log: console.log }).catch((error: unknown) => {
    // What an answer that was not waited for says is about reading.
    stopIfAborted(signal, 'Comparing');
    throw error;
  });
  console.bar.clear();
  const { checked, findings } = report;
  if (findings.length === 0) stopIfAborted(signal, 'Comparing');
  if (checked === 0)
    throw new FirnError(
      'not_found',
      'Nothing was compared: the warehouse holds no containers. Read node/containers from a node with an index, then verify again.',
    );
  console.data(sourceDocument, report);
  const rows = findings.map(({ indexName, index, id, what }) => [indexName, String(index), id, what]);
  console.print(
    findings.length === 0
      ? `The node holds ${checked} containers and P-Chain blocks chosen at random as they were read: id, place and bytes.`
      : `Of ${checked} containers and P-Chain blocks chosen at random, these differ from what the node says:\n${textTable(['index', 'place', 'id', 'what'], rows)}`,
  );
  return findings.length === 0 ? 0 : 3;
}
