import { useState } from "preact/hooks";
import { getRefName } from "#words/names.ts";
import { useForm } from "./field_context.ts";
import { labelOf } from "./field_labels.ts";
import type { FieldProps } from "./field_parts.tsx";
import { elementFields } from "./form_layout.ts";
import { fieldsOf, keyOfList, type Values } from "./form_model.ts";
import { pathText } from "./paths.ts";
import { isUnset, valueText } from "./values.ts";

/** Elements shown at once: a switch may have hundreds of ports. */
const SHOWN = 60;

/** A list of messages such as ports: each opens to its own fields, which are drawn only then. */
export function GroupList({ field, path, value }: FieldProps) {
  const form = useForm();
  const elements = (value ?? []) as readonly Values[];
  const [opened, setOpened] = useState<number>();
  const [all, setAll] = useState(false);
  const noun = labelOf(field).replace(/s$/, "").toLowerCase();
  const shown = all ? elements : elements.slice(0, SHOWN);
  const add = () => {
    form.set(path, [...elements, {}]);
    setAll(true);
    setOpened(elements.length);
  };
  return (
    <div class="group-list">
      {shown.map((element, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: an element without a name is its position
        <div class={form.isChanged(elementPath(path, element, field.of)) ? "element changed" : "element"} key={index}>
          <div class="element-head">
            <button
              type="button"
              class="quiet"
              aria-expanded={opened === index}
              onClick={() => setOpened(opened === index ? undefined : index)}
            >
              <strong>{titleOf(element, noun, index)}</strong> <span>{summaryOf(element, field.of ?? "")}</span>
            </button>
            <button
              type="button"
              class="quiet"
              aria-label={`Remove ${titleOf(element, noun, index)}`}
              onClick={() => {
                const rest = elements.filter((_, one) => one !== index);
                form.set(path, rest.length === 0 ? undefined : rest);
                setOpened(undefined);
              }}
            >
              ×
            </button>
          </div>
          <Problems path={pathText([...path, index])} isOpen={opened === index} />
          {opened === index ? (
            <div class="form-grid">
              {elementFields(field.of ?? "", element).map((inner) => (
                <form.Field
                  key={inner.name}
                  field={inner}
                  path={[...path, index, inner.name]}
                  value={element[inner.name]}
                />
              ))}
            </div>
          ) : null}
        </div>
      ))}
      {shown.length < elements.length ? (
        <button type="button" onClick={() => setAll(true)}>
          Show all {elements.length}
        </button>
      ) : null}
      <button type="button" onClick={add}>
        Add {/^[aeiou]/.test(noun) ? "an" : "a"} {noun}
      </button>
    </div>
  );
}

/** Says that a field inside is wrong while the element is closed. */
function Problems({ path, isOpen }: { readonly path: string; readonly isOpen: boolean }) {
  const { problemAt } = useForm();
  const problem = isOpen ? problemAt(path) : problemAt(`${path}.*`);
  return problem === "" ? null : <p class="form-problem">{problem}</p>;
}

/** Differences name an element by its name, where it has one. */
function elementPath(path: readonly (string | number)[], element: Values, message = ""): string {
  const key = keyOfList(message);
  return key === undefined ? pathText(path) : `${pathText(path)}.{${element[key] ?? ""}}`;
}

function titleOf(element: Values, noun: string, index: number): string {
  const name = element["name"];
  return isUnset(name) ? `${noun} ${index + 1}` : String(name);
}

/** The first few values of an element, and where a power port gets its power. */
function summaryOf(element: Values, message: string): string {
  const named = fieldsOf(message).filter(({ name, type }) => name !== "name" && type !== "group");
  const words = named
    .filter(({ name }) => !isUnset(element[name]))
    .slice(0, 3)
    .map((field) => valueText(element[field.name], field));
  const { source_ref = "" } = (element["power_in"] ?? {}) as { source_ref?: string };
  const { feed_id = "" } = (element["power_out"] ?? {}) as { feed_id?: string };
  return [...words, source_ref === "" ? "" : `from ${getRefName(source_ref)}`, feed_id === "" ? "" : `feed ${feed_id}`]
    .filter((word) => word !== "")
    .join(", ");
}
