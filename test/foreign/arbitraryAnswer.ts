import fc from 'fast-check';

/** A schema as the SDKs have them (zod 3), which say only here what they are. */
export interface Schema {
  safeParse(value: unknown): { readonly success: boolean; readonly error?: unknown };
}

interface Definition {
  readonly typeName: string;
  readonly shape: () => Readonly<Record<string, Schema>>;
  readonly innerType: Schema;
  readonly schema: Schema;
  readonly type: Schema;
  readonly valueType: Schema;
  readonly options: readonly Schema[];
  readonly left: Schema;
  readonly right: Schema;
  readonly values: Readonly<Record<string, string>>;
  readonly value: unknown;
  readonly getter: () => Schema;
}

/** What members hold, by their names. */
export type Values = Readonly<Record<string, readonly unknown[]>>;

/** Every value that stands under a name anywhere in some answers. */
export function valuesIn(answers: unknown): Values {
  const found: Record<string, unknown[]> = {};
  const visit = (value: unknown, name: string): void => {
    if (Array.isArray(value)) for (const item of value) visit(item, name);
    else if (typeof value === 'object' && value !== null)
      for (const [inner, item] of Object.entries(value)) visit(item, inner);
    else found[name] = [...(found[name] ?? []), value];
  };
  visit(answers, '');
  return found;
}

/** Members that hold what somebody wrote: they may say anything. */
const freeText = /^(name|symbol|description|message|logoUri|tokenUri|methodName|city|chainName|avalancheGoVersion)$/;

/**
 * Any answer that a schema of an SDK allows: members that may be missing are missing now and then, lists are empty, and every word of an
 * enumeration and every shape of a union comes up. What text and numbers are the schema does not say: they are those known by the member's name.
 *
 * @param fixed members that have one value in every answer
 */
export function arbitraryAnswer(
  schema: Schema,
  values: Values,
  fixed: Readonly<Record<string, string>>,
  name = '',
): fc.Arbitrary<unknown> {
  const definition = (schema as unknown as { readonly _def: Definition })._def;
  const inner = (one: Schema, member = name) => arbitraryAnswer(one, values, fixed, member);
  const only = fixed[name];
  if (only !== undefined && schema.safeParse(only).success) return fc.constant(only);
  const known = (type: string) => values[name]?.filter((value) => typeof value === type) ?? [];
  switch (definition.typeName) {
    case 'ZodObject': {
      const shape = Object.entries(definition.shape()).filter(([member]) => member !== 'nextPageToken');
      const requiredKeys = shape.filter(([, one]) => !one.safeParse(undefined).success).map(([member]) => member);
      const members = Object.fromEntries(shape.map(([member, one]) => [member, inner(one, member)]));
      return fc.record(members, { requiredKeys, noNullPrototype: true });
    }
    case 'ZodEffects':
      return inner(definition.schema);
    case 'ZodOptional':
      return inner(definition.innerType);
    case 'ZodNullable':
      return fc.option(inner(definition.innerType));
    case 'ZodArray':
      return fc.array(inner(definition.type), { maxLength: 3 });
    case 'ZodUnion':
      return fc.oneof(...definition.options.map((option) => inner(option)));
    case 'ZodIntersection':
      return fc
        .tuple(inner(definition.left), inner(definition.right))
        .map(([left, right]) => Object.assign({}, left, right));
    case 'ZodNativeEnum':
      return fc.constantFrom(...Object.values(definition.values));
    case 'ZodLiteral':
      return fc.constant(definition.value);
    case 'ZodLazy':
      return inner(definition.getter());
    case 'ZodRecord':
      return fc.dictionary(fc.string(), inner(definition.valueType), { maxKeys: 2 });
    case 'ZodBoolean':
      return fc.boolean();
    case 'ZodNumber':
      return fc.constantFrom(0, 1, ...known('number'));
    case 'ZodString': {
      const texts = fc.constantFrom(...(known('string').length > 0 ? known('string') : ['text']));
      return freeText.test(name) ? fc.oneof(texts, fc.string({ unit: 'grapheme' })) : texts;
    }
    case 'ZodAny':
      return fc.jsonValue();
    default:
      throw new TypeError(`${name}: no values of a ${definition.typeName} are known`);
  }
}
