import type { ComponentChildren } from "preact";
import { useEffect, useState } from "preact/hooks";
import { CallError } from "./api/client.ts";
import { Failure, Skeleton } from "./ui/answer.tsx";

type Component<Props> = (props: Props) => ComponentChildren;

const loads: (() => Promise<unknown>)[] = [];

/** Loads every module that is not loaded yet, so that later pages open at once, also while the server is away. */
export async function loadAhead(): Promise<void> {
  // What cannot be loaded now is loaded, or explained, when it is needed.
  for (const load of loads) await load().catch(() => undefined);
}

/**
 * Returns a component of a module that is loaded when it is first shown. A module that is gone, since the server runs
 * another version by now, is announced with a way to load that version.
 * @param Frame surrounds what is shown until the module is there
 */
export function onDemand<Props extends object>(
  load: () => Promise<Component<Props>>,
  Frame: Component<{ readonly children: ComponentChildren }> = ({ children }) => <>{children}</>,
): Component<Props> {
  let Loaded: Component<Props> | undefined;
  const loadOnce = async () => {
    Loaded ??= await load();
  };
  loads.push(loadOnce);
  return function OnDemand(props: Props) {
    const [, setLoaded] = useState(Loaded !== undefined);
    const [error, setError] = useState<CallError>();
    useEffect(() => {
      loadOnce().then(
        () => setLoaded(true),
        () => void whyMissing().then(setError),
      );
    }, []);
    if (Loaded !== undefined) return <Loaded {...props} />;
    return (
      <Frame>{error === undefined ? <Skeleton /> : <Failure error={error} again={() => location.reload()} />}</Frame>
    );
  };
}

/** Finds out whether the server is away or runs another version than the one that this page came from. */
async function whyMissing(): Promise<CallError> {
  try {
    await fetch("/", { method: "HEAD", cache: "no-store", credentials: "omit" });
  } catch {
    return new CallError("offline", "The server does not answer. It may be restarting, or the network is down.");
  }
  return new CallError(
    "outdated",
    "The server has been updated since this page was opened. Load the page again to go on; what is stored is not affected.",
  );
}
