import { type ASTNode, Kind, visit } from "graphql";

/** Reports the path of a node within the arguments of its field: `rack.location.siteId`, `items[3].kind`. */
export type TellPlace = (node: ASTNode, place: string) => void;

/** Lists every part of every argument in document order. Cost: one walk. */
export function eachArgumentPart(root: ASTNode, tell: TellPlace): void {
  visit(root, {
    Argument(node) {
      walk(node, node.name.value, tell);
      return false;
    },
  });
}

function walk(node: ASTNode, place: string, tell: TellPlace): void {
  tell(node, place);
  switch (node.kind) {
    case Kind.ARGUMENT:
    case Kind.OBJECT_FIELD:
      walk(node.value, place, tell);
      break;
    case Kind.OBJECT:
      for (const field of node.fields) walk(field, `${place}.${field.name.value}`, tell);
      break;
    case Kind.LIST:
      for (const [index, value] of node.values.entries()) walk(value, `${place}[${index}]`, tell);
  }
}
