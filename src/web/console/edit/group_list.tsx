import { useState } from "preact/hooks";
import { getRefName } from "#words/names.ts";
import { useFormContext } from "./field_context.ts";
import { getFieldLabel } from "./field_labels.ts";
import type { FieldProps } from "./field_parts.tsx";
import { listElementFields } from "./form_layout.ts";
import { getElementKeyField, listMessageFields, type ResourceValues } from "./form_model.ts";
import { formatPath } from "./paths.ts";
import { formatValue, isUnsetValue } from "./values.ts";

/** Maximum number of elements that are shown at first: a switch may have hundreds of ports. */
const MAX_INITIAL_ELEMENTS = 60;

/** A list of messages such as ports. Each element can be opened to show its fields, which are drawn only then. */
export function GroupList({ field, path, value }: FieldProps) {
  const form = useFormContext();
  const elements = (value ?? []) as readonly ResourceValues[];
  const [opened, setOpened] = useState<number>();
  const [isComplete, setComplete] = useState(false);
  const noun = getFieldLabel(field).replace(/s$/, "").toLowerCase();
  const shown = isComplete ? elements : elements.slice(0, MAX_INITIAL_ELEMENTS);
  const addElement = () => {
    form.setValue(path, [...elements, {}]);
    setComplete(true);
    setOpened(elements.length);
  };
  return (
    <div class="group-list">
      {shown.map((element, index) => (
        <div
          class={form.isChanged(getElementPath(path, element, field.of)) ? "element changed" : "element"}
          // biome-ignore lint/suspicious/noArrayIndexKey: an element may have no name
          key={index}
        >
          <div class="element-head">
            <button
              type="button"
              class="quiet"
              aria-expanded={opened === index}
              onClick={() => setOpened(opened === index ? undefined : index)}
            >
              <strong>{getElementTitle(element, noun, index)}</strong>{" "}
              <span>{summarizeElement(element, field.of ?? "")}</span>
            </button>
            <button
              type="button"
              class="quiet"
              aria-label={`Remove ${getElementTitle(element, noun, index)}`}
              onClick={() => {
                const rest = elements.filter((_, one) => one !== index);
                form.setValue(path, rest.length === 0 ? undefined : rest);
                setOpened(undefined);
              }}
            >
              ×
            </button>
          </div>
          <ElementProblem path={formatPath([...path, index])} isOpen={opened === index} />
          {opened === index ? (
            <div class="form-grid">
              {listElementFields(field.of ?? "", element).map((inner) => (
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
        <button type="button" onClick={() => setComplete(true)}>
          Show all {elements.length}
        </button>
      ) : null}
      <button type="button" onClick={addElement}>
        Add {/^[aeiou]/.test(noun) ? "an" : "a"} {noun}
      </button>
    </div>
  );
}

/** Error of an open element, or the first error inside a closed element. */
function ElementProblem({ path, isOpen }: { readonly path: string; readonly isOpen: boolean }) {
  const { getProblem } = useFormContext();
  const problem = isOpen ? getProblem(path) : getProblem(`${path}.*`);
  return problem === "" ? null : <p class="form-problem">{problem}</p>;
}

/** Returns the path that differences use for an element: by its name, or the path of the list if it has no name. */
function getElementPath(path: readonly (string | number)[], element: ResourceValues, message = ""): string {
  const key = getElementKeyField(message);
  return key === undefined ? formatPath(path) : `${formatPath(path)}.{${element[key] ?? ""}}`;
}

function getElementTitle(element: ResourceValues, noun: string, index: number): string {
  const name = element["name"];
  return isUnsetValue(name) ? `${noun} ${index + 1}` : String(name);
}

/** Summarises an element by its first three values, and a power port also by its power source or feed. */
function summarizeElement(element: ResourceValues, message: string): string {
  const named = listMessageFields(message).filter(({ name, type }) => name !== "name" && type !== "group");
  const words = named
    .filter(({ name }) => !isUnsetValue(element[name]))
    .slice(0, 3)
    .map((field) => formatValue(element[field.name], field));
  const { source_ref = "" } = (element["power_in"] ?? {}) as { source_ref?: string };
  const { feed_id = "" } = (element["power_out"] ?? {}) as { feed_id?: string };
  return [...words, source_ref === "" ? "" : `from ${getRefName(source_ref)}`, feed_id === "" ? "" : `feed ${feed_id}`]
    .filter((word) => word !== "")
    .join(", ");
}
