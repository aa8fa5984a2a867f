import { command } from "../declare/command.ts";
import Type from "../declare/schema/type.ts";
import { keyringText } from "./keyring.ts";

/** Creates a key ring for a start that cannot write one itself. */
export const newKeyring = command({
  id: "keyring.new",
  title: "New key ring",
  summary: "Write a new key ring to standard output, for a store that has none yet.",
  description:
    "A first start makes its own key ring, if it can write the file. Use this one where it cannot, " +
    "such as in a secret of Kubernetes. A store that has records needs the key ring that it was written with.",
  role: "officer",
  kind: "read",
  only: "terminal",
  store: "none",
  answer: Type.Object({ text: Type.String() }),
  view: ({ text }) => [JSON.stringify(JSON.parse(text))],
  run: async () => {
    const { newRing } = await import("./file.ts");
    return { text: keyringText(newRing()) };
  },
});
