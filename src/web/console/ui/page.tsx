import type { ComponentChildren } from "preact";
import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import { Listeners, useCurrentValue } from "../../shared/browser.ts";
import { CallError, type CallState, tokenStore, waitingSignIns } from "../api/client.ts";
import { simplifyMessage } from "../labels.ts";
import { findNavigationItem } from "../navigation.ts";
import { formatPageUrl, parseAddress } from "../router.ts";

interface PageHeadProps {
  readonly title: string;
  /** Kind of the element that the title names, or topic of the page. */
  readonly kind?: string | undefined;
  /** Locations that contain the subject; if absent, the list that the page belongs to. */
  readonly trail?: readonly BreadcrumbStep[];
  /** Name of the page in the breadcrumbs; the title if absent. */
  readonly crumb?: string;
  readonly action?: ComponentChildren;
  readonly children?: ComponentChildren;
}

let isHeadingFocusPending = false;

/** Moves the focus to the page's heading, or to its next heading if the page has none yet. */
export function focusHeading(page: HTMLElement | null): void {
  const heading = page?.querySelector<HTMLElement>("h1");
  isHeadingFocusPending = heading === undefined || heading === null;
  heading?.focus({ preventScroll: true });
}

/** A page's heading with its actions. It also sets the title of the browser's tab and the breadcrumbs. */
export function PageHead({ title, kind, trail, crumb = title, action, children }: PageHeadProps) {
  useEffect(() => {
    document.title = `${title} · planner`;
  }, [title]);
  const heading = useRef<HTMLHeadingElement>(null);
  useLayoutEffect(() => {
    if (isHeadingFocusPending) heading.current?.focus({ preventScroll: true });
    isHeadingFocusPending = false;
  }, []);
  useBreadcrumbs([...(trail ?? getDefaultTrail(title)), { name: crumb }]);
  return (
    <header class="page-head">
      <div>
        <h1 ref={heading} tabIndex={-1}>
          {title}
        </h1>
        {kind === undefined ? null : <p class="kind">{kind}</p>}
        {children}
      </div>
      {action === undefined ? null : <div class="actions">{action}</div>}
    </header>
  );
}

/** Returns the navigation entry that the page belongs to; [] if the entry is the page itself. */
function getDefaultTrail(title: string): readonly BreadcrumbStep[] {
  const item = findNavigationItem(parseAddress(location.hash).page);
  return item === undefined || item.name === title ? [] : [{ name: item.name, href: formatPageUrl(item.page) }];
}

/** A step of the breadcrumbs: a location that contains the page's subject, or the list that the subject is in. */
export interface BreadcrumbStep {
  readonly name: string;
  /** URL of the step; absent for a location without a page. */
  readonly href?: string | undefined;
}

let currentTrail: readonly BreadcrumbStep[] = [];
const listeners = new Listeners();

function setBreadcrumbs(trail: readonly BreadcrumbStep[]): void {
  currentTrail = trail;
  listeners.notify();
}

/** Sets the breadcrumbs in the top bar until another page sets its own. */
function useBreadcrumbs(trail: readonly BreadcrumbStep[]): void {
  const key = JSON.stringify(trail);
  // biome-ignore lint/correctness/useExhaustiveDependencies: the key represents the trail
  useLayoutEffect(() => setBreadcrumbs(trail), [key]);
}

/** Returns the current breadcrumbs; the component is drawn again when they change. */
export function useShownBreadcrumbs(): readonly BreadcrumbStep[] {
  return useCurrentValue(() => currentTrail, listeners.subscribe);
}

/** Form for a token, which is stored for this tab unless the person chooses otherwise. */
function SignInForm({ message }: { readonly message: string }) {
  const [text, setText] = useState("");
  const [keep, setKeep] = useState(tokenStore.isKept());
  return (
    <form
      class="sign-in"
      onSubmit={(event) => {
        event.preventDefault();
        tokenStore.set(text.trim(), { keep });
      }}
    >
      <p>{tokenStore.value() === "" ? "Nothing is shown without one." : message}</p>
      <label class="field">
        <span>Token or JWT</span>
        <input
          type="password"
          autocomplete="off"
          spellcheck={false}
          value={text}
          onInput={({ currentTarget }) => setText(currentTarget.value)}
        />
      </label>
      <label class="switch">
        <input type="checkbox" checked={keep} onChange={({ currentTarget }) => setKeep(currentTarget.checked)} />
        <span>Keep me signed in on this computer</span>
      </label>
      <button type="submit" class="primary" disabled={text.trim() === ""}>
        {keep ? "Sign in" : "Sign in in this tab"}
      </button>
    </form>
  );
}

/** Modal dialog that asks for a token while a call waits for one. The dialogs below it keep their input. */
export function SignInDialog() {
  const message = useCurrentValue(waitingSignIns.message, waitingSignIns.subscribe);
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => {
    if (message === undefined) dialog.current?.close();
    else if (dialog.current?.open === false) dialog.current.showModal();
  }, [message]);
  return (
    <dialog ref={dialog} aria-labelledby="sign-in-title" onCancel={() => waitingSignIns.cancelAll()}>
      <h2 id="sign-in-title">Sign in again</h2>
      {message === undefined ? null : (
        <>
          <p>Nothing is lost: what you were doing goes on when the server knows you again.</p>
          <SignInForm message={message} />
        </>
      )}
    </dialog>
  );
}

/** Form of the placeholder for a reply: figures side by side, rows, cards, or a single block. */
type PlaceholderShape = "tiles" | "rows" | "cards" | "block";

/** Shows a reply, a placeholder of its form, or its error. The old reply stays, dimmed, while a new one loads. */
export function ReplyView<Reply>(props: {
  readonly asked: CallState<Reply>;
  readonly shape?: PlaceholderShape;
  readonly children: (reply: Reply) => ComponentChildren;
}) {
  const { asked, shape, children } = props;
  if (asked.error !== undefined) return <FailureView error={asked.error} again={asked.reload} />;
  if (asked.reply === undefined) return asked.loading ? <Skeleton shape={shape ?? "block"} /> : null;
  return (
    <div class={asked.loading ? "outdated" : undefined} aria-busy={asked.loading}>
      {children(asked.reply)}
    </div>
  );
}

/** Time in milliseconds after which a placeholder also shows a text. */
const SLOW_REPLY_MS = 4000;

/** Number of parts that a placeholder of each form draws. */
const PLACEHOLDER_PARTS: Readonly<Record<PlaceholderShape, number>> = { tiles: 5, rows: 12, cards: 3, block: 1 };

/** Placeholder for a reply. If the reply is slow, the placeholder shows a text. */
function Skeleton({ shape = "block" }: { readonly shape?: PlaceholderShape }) {
  const [isSlow, setLong] = useState(false);
  useEffect(() => {
    const timer = setTimeout(() => setLong(true), SLOW_REPLY_MS);
    return () => clearTimeout(timer);
  }, []);
  return (
    <div class={`skeleton ${shape}`} role="status">
      <p class={isSlow ? "" : "sr-only"}>{isSlow ? "Still waiting for the server…" : "Loading…"}</p>
      {Array.from({ length: PLACEHOLDER_PARTS[shape] }, (_, at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the parts are alike and keep their order
        <span key={at} />
      ))}
    </div>
  );
}

/** Error codes for which a repeated request would fail again. */
const FINAL_ERROR_CODES: ReadonlySet<string> = new Set(["not_found", "invalid_argument", "permission_denied"]);

export function FailureView({ error, again }: { readonly error: CallError; readonly again?: () => void }) {
  if (error.code === "unauthenticated") return <SignInCard message={error.message} />;
  return (
    <div class="failure" role="alert">
      <h2>{TITLES_BY_CODE[error.code] ?? "That did not work"}</h2>
      <p>{error.message}</p>
      {error.violations.length > 1 ? (
        <ul>
          {error.violations.map(({ field, description }) => (
            <li key={field}>
              {simplifyMessage(field)}: {description}
            </li>
          ))}
        </ul>
      ) : null}
      {error.code === "not_found" ? (
        <p>
          It may have been renamed or deleted: search for its name, or see{" "}
          <a href={formatPageUrl("history")}>the changes</a>.
        </p>
      ) : null}
      {again === undefined || FINAL_ERROR_CODES.has(error.code) ? null : (
        <button type="button" onClick={again}>
          {error.code === "outdated" ? "Load again" : "Try again"}
        </button>
      )}
    </div>
  );
}

const TITLES_BY_CODE: Readonly<Record<string, string>> = {
  offline: "No connection",
  not_found: "Not found",
  permission_denied: "Not allowed",
  invalid_argument: "Not understood",
  unavailable: "Database unavailable",
  deadline_exceeded: "Took too long",
  outdated: "This page is outdated",
};

function SignInCard({ message }: { readonly message: string }) {
  return (
    <section class="failure">
      <h2>This server asks for a token</h2>
      <SignInForm message={message} />
    </section>
  );
}

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
