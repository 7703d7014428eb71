import { useRef, useState } from "preact/hooks";
import { getRefName, nameKind } from "#words/names.ts";
import { Icon } from "../../shared/icon.tsx";
import { callError, type Reply } from "../api/client.ts";
import { nameQuery, refsNamed, SEARCH_RPC } from "../named_refs.ts";
import { Combobox } from "../ui/combobox.tsx";
import { optionsOf, useHits } from "../ui/use_hits.ts";
import { ask } from "./ask.ts";
import { idOf, useForm } from "./field_context.ts";
import { labelOf } from "./field_labels.ts";
import { describedBy, type FieldProps, Hints } from "./field_parts.tsx";
import { pathText } from "./paths.ts";

/** A list of things by their codes: what is typed becomes a reference with Enter, or as the field is left. */
export function RefsField({ field, path, value }: FieldProps) {
  const form = useForm();
  const refs = (value ?? []) as readonly string[];
  const latest = useRef(refs);
  latest.current = refs;
  const [text, setText] = useState("");
  const [unread, setUnread] = useState("");
  const hits = useHits(text, []);
  const at = pathText(path);
  const id = idOf(at);
  const wrong = [at, ...refs.map((_, index) => `${at}[${index}]`)].find((one) => form.problemAt(one) !== "") ?? at;
  const problem = form.problemAt(wrong);
  const write = (next: readonly string[]) => form.set(path, next.length === 0 ? undefined : next);
  const take = (ref: string) => {
    setUnread("");
    setText("");
    if (!latest.current.includes(ref)) write([...latest.current, ref]);
  };
  const add = async (typed: string) => {
    if (typed === "") return;
    try {
      const found = await refsOf(typed);
      const [only] = found;
      if (only === undefined || found.length > 1) {
        setUnread(only === undefined ? `Nothing is called “${typed}”` : `Expected one of ${found.join(", ")}`);
        return;
      }
      take(only);
    } catch (error) {
      setUnread(callError(error).message);
    }
  };
  return (
    <div class={form.isChanged(at) ? "form-field wide changed" : "form-field wide"}>
      <label for={id}>{labelOf(field)}</label>
      {refs.length === 0 ? null : (
        <span class="chip-bar">
          {refs.map((ref) => (
            <button
              key={ref}
              type="button"
              class="chip on"
              aria-label={`Remove ${refWords(ref)}`}
              onClick={() => write(refs.filter((one) => one !== ref))}
            >
              {refWords(ref)}
              <Icon name="close" />
            </button>
          ))}
        </span>
      )}
      <Combobox
        id={id}
        {...describedBy(id, problem || unread)}
        placeholder={refs.length === 0 ? "A code, such as PDU-A01-B" : "One more"}
        value={text}
        options={optionsOf(hits)}
        typed={setText}
        choose={({ value: ref }) => take(ref)}
        onKeyDown={(event) => {
          if (event.key !== "Enter" || event.ctrlKey || event.metaKey) return;
          event.preventDefault();
          void add(text.trim());
        }}
        onBlur={() => void add(text.trim())}
      />
      {unread === "" || problem !== "" ? null : (
        <p class="form-problem" id={`${id}-problem`}>
          {unread}
        </p>
      )}
      <Hints field={field} path={wrong} id={id} />
    </div>
  );
}

/** What a text names: itself if it is a reference, or else what has this code. @throws CallError */
async function refsOf(typed: string): Promise<readonly string[]> {
  if (/^[a-z_]+:/.test(typed)) return [typed];
  const { kinds } = await ask<Reply<typeof SEARCH_RPC>>(SEARCH_RPC, nameQuery(typed, []));
  return refsNamed(
    kinds.flatMap(({ hits }) => hits.map(({ ref }) => ref)),
    typed,
  );
}

/** A reference as a person reads it: a device by its code, others with their kind. */
export function refWords(ref: string): string {
  const kind = ref.slice(0, ref.indexOf(":"));
  return kind === "device" ? getRefName(ref) : `${nameKind(kind)} ${getRefName(ref)}`;
}
