import type { ComponentChildren } from "preact";
import type { CallState } from "../api/use_call.ts";
import type { PageAddress } from "../router.ts";
import { Answer } from "../ui/answer.tsx";
import { PageHead } from "../ui/page.tsx";
import { Tabs } from "../ui/tabs.tsx";
import type { Crumb } from "../ui/trail.ts";

/** A part of the page, of which one is shown. */
interface ElementTab<Reply> {
  /** The word in the address; "" for the first part. */
  readonly key: string;
  readonly name: string;
  readonly count?: number | undefined;
  readonly content: (reply: Reply) => ComponentChildren;
}

interface FrameProps<Reply> {
  readonly place: PageAddress;
  readonly asked: CallState<Reply>;
  /** What it is, in a few words. */
  readonly kind: string;
  /** The places around it; empty while they are not known. */
  readonly trail: readonly Crumb[];
  readonly state?: ComponentChildren;
  /** The answer to the first question about it. */
  readonly sentence?: ComponentChildren;
  /** What can be done with it; hidden if it does not exist. */
  readonly actions: ComponentChildren;
  readonly tabs: readonly ElementTab<Reply>[];
  /** How the part that is shown is drawn. */
  readonly options?: ComponentChildren;
}

/** The page of one element: its state, one sentence, what can be done, and its parts, each within one screen and one sheet. */
export function ElementFrame<Reply>(props: FrameProps<Reply>) {
  const { place, asked, kind, trail, state, sentence, actions, tabs, options } = props;
  const chosen = place.settings.get("tab") ?? "";
  const shown = tabs.find(({ key }) => key === chosen) ?? tabs[0];
  return (
    <>
      <PageHead
        kind={kind}
        title={place.subject}
        {...(trail.length === 0 ? {} : { trail })}
        action={asked.error?.code === "not_found" ? null : actions}
      >
        {state === undefined ? null : <span>{state}</span>}
        {sentence === undefined ? null : <p class="sentence">{sentence}</p>}
      </PageHead>
      <div class="page-parts">
        <Tabs chosen={chosen} tabs={tabs.map(({ key, name, count }) => [key, name, count])} />
        {options}
      </div>
      <Answer asked={asked} shape="cards">
        {(reply) => shown?.content(reply)}
      </Answer>
    </>
  );
}
