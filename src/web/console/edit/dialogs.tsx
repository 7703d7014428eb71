import { DeleteDialog } from "./delete_dialog.tsx";
import type { EditRequest } from "./editing.ts";
import { BulkEditDialog } from "./many_dialog.tsx";
import { ResourceDialog } from "./resource_dialog.tsx";
import { UndoDialog } from "./undo_dialog.tsx";

/** The dialog for the mode of an edit. */
export function EditRequestDialog({ edit }: { readonly edit: EditRequest }) {
  switch (edit.mode) {
    case "delete":
      return <DeleteDialog edit={edit} />;
    case "undo":
      return <UndoDialog edit={edit} />;
    case "many":
    case "delete-many":
      return <BulkEditDialog edit={edit} />;
    default:
      return <ResourceDialog edit={edit} />;
  }
}
