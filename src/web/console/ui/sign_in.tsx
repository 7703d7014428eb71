import { useEffect, useRef, useState } from "preact/hooks";
import { useCurrentValue } from "../../shared/listeners.ts";
import { waitingSignIns } from "../api/sign_in.ts";
import { tokenStore } from "../api/token.ts";

/** Form for a token, which is stored for this tab unless the person chooses otherwise. */
export function SignInForm({ message }: { readonly message: string }) {
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
