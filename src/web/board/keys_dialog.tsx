import { ModalDialog } from "./dialog.tsx";
import { SHORTCUTS } from "./keys.ts";

export function KeysDialog({ leave }: { readonly leave: () => void }) {
  return (
    <ModalDialog title="Keys" leave={leave}>
      <dl class="keys">
        {SHORTCUTS.map(([key, meaning]) => (
          <div key={key}>
            <dt>
              <kbd>{key}</kbd>
            </dt>
            <dd>{meaning}</dd>
          </div>
        ))}
      </dl>
    </ModalDialog>
  );
}
