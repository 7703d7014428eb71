import { useState } from "preact/hooks";
import type { RenderResult } from "#gen/datacenter/v1/json.ts";
import { useRenderOptions } from "../../shared/use_theme.ts";
import { CallError, callRpc, type PictureRpc, type RpcRequest } from "../api/client.ts";
import { saveFile } from "./save_file.ts";

/** RPC and request of a shown picture. */
export interface PictureRequest {
  readonly rpc: PictureRpc;
  readonly request: RpcRequest<PictureRpc>;
}

const DOWNLOAD_FORMATS = ["SVG", "PNG", "HTML", "DOT"] as const;

/** Buttons that save the picture, one per format. */
export function DownloadButtons({ question, name }: { readonly question: PictureRequest; readonly name: string }) {
  const [problem, setProblem] = useState("");
  const usual = useRenderOptions();
  const savePictureAs = async (format: string): Promise<void> => {
    setProblem("");
    try {
      // The file keeps the colouring, view and theme of the screen.
      const render = { ...usual, ...question.request.render, format: `RENDER_FORMAT_${format}`, embed_dataset: true };
      const { render: picture } = await callRpc(question.rpc, {
        ...question.request,
        render,
      });
      if (picture !== undefined) savePicture(picture, `${name.replace(/[^\w.-]+/g, "-")}.${format.toLowerCase()}`);
    } catch (error) {
      setProblem(error instanceof CallError ? error.message : "The picture could not be saved.");
    }
  };
  return (
    <span class="download">
      {DOWNLOAD_FORMATS.map((format) => (
        <button key={format} type="button" aria-label={`Save as ${format}`} onClick={() => void savePictureAs(format)}>
          {format}
        </button>
      ))}
      {problem === "" ? null : <span role="alert">{problem}</span>}
    </span>
  );
}

function savePicture({ text, binary, media_type }: RenderResult, fileName: string): void {
  const bytes = binary === undefined ? (text ?? "") : Uint8Array.from(atob(binary), (letter) => letter.charCodeAt(0));
  saveFile(new Blob([bytes], { type: media_type }), fileName);
}
