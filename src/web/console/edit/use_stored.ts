import { useEffect, useState } from "preact/hooks";
import type { CallError } from "../api/client.ts";
import { callError } from "./ask.ts";
import type { Kind, Values } from "./form_model.ts";
import { type Base, loadStored } from "./use_draft.ts";

/** A stored resource that is on its way. */
export type Loading = { readonly state: "waiting" } | { readonly state: "failed"; readonly error: CallError };
export type Loaded = Loading | { readonly state: "done"; readonly base: Base };

const NOTHING: Base = { values: {}, etag: "" };

/** Asks once for a resource as stored; without an identity there is nothing to ask for. */
export function useStored(kind: Kind, identity: Values | undefined): Loaded {
  const [loaded, setLoaded] = useState<Loaded>(
    identity === undefined ? { state: "done", base: NOTHING } : { state: "waiting" },
  );
  // biome-ignore lint/correctness/useExhaustiveDependencies: a dialog is about one resource for as long as it is open
  useEffect(() => {
    if (identity === undefined) return undefined;
    const controller = new AbortController();
    loadStored(kind, identity, controller.signal).then(
      (base) => controller.signal.aborted || setLoaded({ state: "done", base }),
      (error: unknown) => controller.signal.aborted || setLoaded({ state: "failed", error: callError(error) }),
    );
    return () => controller.abort();
  }, []);
  return loaded;
}
