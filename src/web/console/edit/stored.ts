import { useEffect, useState } from "preact/hooks";
import { nameKind } from "#words/names.ts";
import { CallError, callError, read } from "../api/client.ts";
import { signedIn } from "../api/sign_in.ts";
import { identityText, type Kind, messageOf, type Values } from "./form_model.ts";
import { prunedMessage } from "./values.ts";

/** A resource as stored, and its version. The version is empty if the resource is not stored yet. */
export interface Base {
  readonly values: Values;
  readonly etag: string;
}

/** A resource by its reference. */
export interface Named {
  readonly kind: Kind;
  readonly ref: string;
}

interface ResourcesAnswer {
  readonly resources: readonly { readonly ref: string; readonly resource?: Values }[];
}

/** References that the server reads at once. */
const AT_ONCE = 50;

/** Reads resources as stored, by their references; what is not stored is absent. @throws CallError */
export async function readStored(named: readonly Named[], signal?: AbortSignal): Promise<ReadonlyMap<string, Base>> {
  const found = new Map<string, Base>();
  for (let start = 0; start < named.length; start += AT_ONCE) {
    const batch = named.slice(start, start + AT_ONCE);
    const ref = batch.map((one) => one.ref);
    const { resources } = await signedIn(() => read<ResourcesAnswer>("/resources", { ref }, signal));
    for (const [index, { resource }] of resources.entries()) {
      const one = batch[index];
      if (resource === undefined || one === undefined) continue;
      const values = prunedMessage(resource, messageOf(one.kind));
      found.set(one.ref, { values, etag: String(resource["etag"]) });
    }
  }
  return found;
}

/** Reads one resource as stored. @throws CallError, `not_found` if it is not */
export async function loadStored(kind: Kind, identity: Values, signal?: AbortSignal): Promise<Base> {
  const name = identityText(kind, identity);
  const ref = `${kind}:${name}`;
  const base = (await readStored([{ kind, ref }], signal)).get(ref);
  if (base === undefined) throw new CallError("not_found", `There is no ${nameKind(kind)} ${name}`);
  return base;
}

/** A stored resource that is on its way. */
export type Loading = { readonly state: "waiting" } | { readonly state: "failed"; readonly error: CallError };
export type Loaded = Loading | { readonly state: "done"; readonly base: Base };

export const NOTHING: Base = { values: {}, etag: "" };

/** Reads a resource, and again by `again`; without an identity there is nothing to read. */
export function useStored(kind: Kind, identity: Values | undefined): [Loaded, again: () => Promise<void>] {
  const [loaded, setLoaded] = useState<Loaded>(
    identity === undefined ? { state: "done", base: NOTHING } : { state: "waiting" },
  );
  const load = async (signal?: AbortSignal): Promise<void> => {
    if (identity === undefined) return;
    const next = await loadStored(kind, identity, signal).then(
      (base): Loaded => ({ state: "done", base }),
      (error: unknown): Loaded => ({ state: "failed", error: callError(error) }),
    );
    if (signal?.aborted !== true) setLoaded(next);
  };
  // biome-ignore lint/correctness/useExhaustiveDependencies: a dialog is about one resource for as long as it is open
  useEffect(() => {
    const controller = new AbortController();
    void load(controller.signal);
    return () => controller.abort();
  }, []);
  return [loaded, load];
}
