import { ModalDialog } from "./dialog.tsx";
import { BOARD_SHORTCUTS } from "./keys.ts";

export function KeysDialog({ leave }: { readonly leave: () => void }) {
  return (
    <ModalDialog title="Keys" leave={leave}>
      <dl class="keys">
        {BOARD_SHORTCUTS.map(([key, meaning]) => (
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
