import { type GraphQLSchema, isEnumType, isInputObjectType, isObjectType } from "graphql";

/** Cost of one introspection value; other fields cost 1. Our choice: the whole schema costs less than the limit. */
export const INTROSPECTION_WEIGHT = 0.4;

/** Average number of items in the lists of an introspection, by the name of the field. */
export type IntrospectionListSizes = Readonly<Record<string, number>>;

export function measureIntrospectionLists(schema: GraphQLSchema): IntrospectionListSizes {
  const types = Object.values(schema.getTypeMap());
  const outputs = types.filter(isObjectType).flatMap((type) => Object.values(type.getFields()));
  const inputs = types.filter(isInputObjectType).flatMap((type) => Object.values(type.getFields()));
  const values = types.filter(isEnumType).flatMap((type) => type.getValues());
  const args = outputs.flatMap((field) => field.args);
  return {
    types: types.length,
    fields: outputs.length / types.length,
    inputFields: inputs.length / types.length,
    enumValues: values.length / types.length,
    args: args.length / outputs.length,
    directives: schema.getDirectives().length,
    // Our choice: few types are wrapped, and fewer at each further level.
    ofType: 0.5,
  };
}
