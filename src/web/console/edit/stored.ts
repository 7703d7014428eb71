import { useCallback, useEffect, useState } from "preact/hooks";
import { getKindNoun } from "#words/names.ts";
import { CallError, callWithSignIn, convertToCallError, readJsonRoute } from "../api/client.ts";
import { type EditableKind, formatIdentity, getMessageName, type ResourceValues } from "./form_model.ts";
import { removeUnsetFields } from "./values.ts";

/** A stored resource and its version. The version is empty if the resource is not stored yet. */
export interface StoredResource {
  readonly values: ResourceValues;
  readonly etag: string;
}

/** Kind and reference of a resource. */
interface ResourceName {
  readonly kind: EditableKind;
  readonly ref: string;
}

interface ResourcesReply {
  readonly resources: readonly { readonly ref: string; readonly resource?: ResourceValues }[];
}

/** Maximum number of references that one request may read. */
const MAX_REFS_PER_REQUEST = 50;

/** Reads resources by their references; missing ones are absent from the result. @throws CallError. */
export async function loadStoredResources(
  names: readonly ResourceName[],
  signal?: AbortSignal,
): Promise<ReadonlyMap<string, StoredResource>> {
  const found = new Map<string, StoredResource>();
  for (let start = 0; start < names.length; start += MAX_REFS_PER_REQUEST) {
    const batch = names.slice(start, start + MAX_REFS_PER_REQUEST);
    const ref = batch.map((one) => one.ref);
    const { resources } = await callWithSignIn(() => readJsonRoute<ResourcesReply>("/resources", { ref }, signal));
    for (const [index, { resource }] of resources.entries()) {
      const one = batch[index];
      if (resource === undefined || one === undefined) continue;
      const values = removeUnsetFields(resource, getMessageName(one.kind));
      found.set(one.ref, { values, etag: String(resource["etag"]) });
    }
  }
  return found;
}

/** Reads one stored resource. @throws CallError, with `not_found` if it is not stored. */
export async function loadStoredResource(
  kind: EditableKind,
  identity: ResourceValues,
  signal?: AbortSignal,
): Promise<StoredResource> {
  const name = formatIdentity(kind, identity);
  const ref = `${kind}:${name}`;
  const base = (await loadStoredResources([{ kind, ref }], signal)).get(ref);
  if (base === undefined) throw new CallError("not_found", `There is no ${getKindNoun(kind)} ${name}`);
  return base;
}

/** State of a resource that is not loaded yet. */
export type PendingResource = { readonly state: "waiting" } | { readonly state: "failed"; readonly error: CallError };
type ResourceLoadState = PendingResource | { readonly state: "done"; readonly base: StoredResource };

export const EMPTY_RESOURCE: StoredResource = { values: {}, etag: "" };

/** Loads a resource, and loads it again when `again` is called; without an identity, loads nothing. */
export function useStoredResource(
  kind: EditableKind,
  identity: ResourceValues | undefined,
): [ResourceLoadState, again: () => Promise<void>] {
  const [loaded, setLoaded] = useState<ResourceLoadState>(
    identity === undefined ? { state: "done", base: EMPTY_RESOURCE } : { state: "waiting" },
  );
  const loadResource = async (signal?: AbortSignal): Promise<void> => {
    if (identity === undefined) return;
    const next = await loadStoredResource(kind, identity, signal).then(
      (base): ResourceLoadState => ({ state: "done", base }),
      (error: unknown): ResourceLoadState => ({ state: "failed", error: convertToCallError(error) }),
    );
    if (signal?.aborted !== true) setLoaded(next);
  };
  // biome-ignore lint/correctness/useExhaustiveDependencies: an open dialog never changes its resource
  useEffect(() => {
    const controller = new AbortController();
    void loadResource(controller.signal);
    return () => controller.abort();
  }, []);
  return [loaded, loadResource];
}

type OpenApiSchemas = Readonly<
  Record<string, { readonly properties?: Readonly<Record<string, { description?: string }>> }>
>;

/** Returns the comment of a message's field in the proto files; "" until the comments are loaded. */
export type GetFieldComment = (message: string, field: string) => string;

let schemasRequest: Promise<OpenApiSchemas> | undefined;

/** Loads the comments of all fields from `/openapi.json` once, when the first form opens. */
export function useFieldComments(): GetFieldComment {
  const [schemas, setSchemas] = useState<OpenApiSchemas>({});
  useEffect(() => {
    schemasRequest ??= callWithSignIn(() =>
      readJsonRoute<{ readonly components: { readonly schemas: OpenApiSchemas } }>("/openapi.json", {}),
    ).then(
      ({ components }) => components.schemas,
      // If the request fails, the form works without comments.
      () => {
        schemasRequest = undefined;
        return {};
      },
    );
    void schemasRequest.then(setSchemas);
  }, []);
  return useCallback(
    (message, field) => schemas[`datacenter.v1.${message}`]?.properties?.[field]?.description ?? "",
    [schemas],
  );
}
