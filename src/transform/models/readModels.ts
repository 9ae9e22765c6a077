import { sqlFolderReader } from '../sqlFolderReader.ts';
import { parseModel } from './parseModel.ts';

/** Every model of a folder, firn's own where none is named: a file's folder is its schema, its name the table's. */
export const readModels = sqlFolderReader('models', (shown, text, path) =>
  parseModel(path.replace(/\.sql$/, '').replace(/[\\/]/, '.'), shown, text),
);
