import type { ComponentChildren } from "preact";
import { useEffect, useState } from "preact/hooks";
import { CallError } from "./api/client.ts";
import { FailureView, Skeleton } from "./ui/page.tsx";

type ComponentFunction<Props> = (props: Props) => ComponentChildren;

const moduleLoaders: (() => Promise<unknown>)[] = [];

/** Loads every module not loaded yet, so that later pages open at once, even while the server is unreachable. */
export async function preloadModules(): Promise<void> {
  // A module that fails to load now is loaded again when a page needs it.
  for (const load of moduleLoaders) await load().catch(() => undefined);
}

/**
 * Returns a component whose module is loaded when it is first shown. If the module no longer exists because the server
 * now runs another version, offers to load that version.
 * @param Frame surrounds the placeholder that is shown until the module is loaded
 */
export function createLazyComponent<Props extends object>(
  load: () => Promise<ComponentFunction<Props>>,
  Frame: ComponentFunction<{ readonly children: ComponentChildren }> = ({ children }) => <>{children}</>,
): ComponentFunction<Props> {
  let Loaded: ComponentFunction<Props> | undefined;
  const loadOnce = async () => {
    Loaded ??= await load();
  };
  moduleLoaders.push(loadOnce);
  return function LazyComponent(props: Props) {
    const [, setLoaded] = useState(Loaded !== undefined);
    const [error, setError] = useState<CallError>();
    useEffect(() => {
      loadOnce().then(
        () => setLoaded(true),
        () => void findLoadError().then(setError),
      );
    }, []);
    if (Loaded !== undefined) return <Loaded {...props} />;
    return (
      <Frame>
        {error === undefined ? <Skeleton /> : <FailureView error={error} again={() => location.reload()} />}
      </Frame>
    );
  };
}

/** Returns the error to show after a module failed to load: `offline` if the server is unreachable, or `outdated`. */
async function findLoadError(): Promise<CallError> {
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
