import type { JsonObject } from "@bufbuild/protobuf";
import type { Drawing } from "./drawing.ts";

/** The picture's content as plain JSON: title, description and every element with its facts. */
export function datasetOf(screen: string, { scene, elements, omittedNodes }: Drawing): JsonObject {
  return {
    screen,
    title: scene.title.toWellFormed(),
    description: scene.description.toWellFormed(),
    omitted_nodes: omittedNodes,
    elements: elements.map(({ ref, kind, title, facts, related = [] }) => ({
      ref: ref.toWellFormed(),
      kind,
      title: title.toWellFormed(),
      facts: facts
        .filter(([, value]) => value !== "")
        .map(([label, value]) => ({ label: label.toWellFormed(), value: value.toWellFormed() })),
      related: related.map((one) => one.toWellFormed()),
    })),
  };
}
