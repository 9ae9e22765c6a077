/** The name of a relation without its schema. */
export const bare = (relation: string): string => relation.slice(relation.indexOf('.') + 1);

/** The schema of a relation. */
export const schemaOf = (relation: string): string => relation.slice(0, relation.indexOf('.'));
