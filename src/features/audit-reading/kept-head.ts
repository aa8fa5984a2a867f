import type { KeptHead } from "../../audit/chain/chain.ts";
import type { Form } from "../../declare/command/forms.ts";

/** A head in the form that people copy: the number of a batch and the hash of its seal. */
export const keptHead: Form<KeptHead> = {
  form: "a head that `duba audit tail` or `duba audit verify` printed",
  read: (text) => {
    const [, batch, hash] = /^([1-9]\d{0,14}):([\w-]{43})$/.exec(text) ?? [];
    return batch === undefined || hash === undefined ? undefined : { batch: Number(batch), hash };
  },
};

/** A head in the form that people copy. Null before the first seal. */
export function headText(head: KeptHead | null): string | null {
  return head === null || head.batch === 0 ? null : `${head.batch}:${head.hash}`;
}
