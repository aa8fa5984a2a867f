import { changed, priceChange } from "../../catalogue/commands/change-answer.ts";
import type { PricedRoom } from "../../catalogue/commands/priced-room.ts";
import { dryRun, note } from "../../catalogue/commands/publisher.ts";
import { groupForm } from "../../catalogue/prices/price-forms.ts";
import { joining } from "../../catalogue/prices/price-rules.ts";
import { orWord } from "../../declare/command/forms.ts";
import { formed } from "../../declare/command/read-texts.ts";
import Type from "../../declare/schema/type.ts";

const joinGroup = priceChange({
  id: "prices.join",
  title: "Put into a price group…",
  summary: "Give accounts the prices of a group, or take them out of theirs.",
  description:
    "An account is in at most one group: it leaves the one that it is in. " +
    "Its own prices stay, and win over those of the group. With none it is in no group, " +
    "and the catalogue's prices apply again.",
  role: "operator",
  target: ["group", "accounts"],
  input: Type.Object({
    group: formed(orWord("none", groupForm), {
      description: 'The name of the group, such as agents. It has prices already. "none": no group.',
      label: "Price group",
    }),
    accounts: Type.Array(Type.String(), { description: "E-mails or ids of accounts." }),
    dry_run: dryRun,
    note,
  }),
  examples: [
    { group: "agents", accounts: ["shop@example.com"] },
    { group: "none", accounts: ["shop@example.com"] },
  ],
  run: async ({ group, accounts, dry_run, note: given }, room: PricedRoom) => {
    const note = given ?? (group === null ? "Out of the group" : `Into ${group}`);
    const ids: string[] = [];
    for (const account of accounts) ids.push((await room.accounts.find(account)).id);
    return changed(room, joining(ids, group ?? undefined), { source: "prices", note, dry_run });
  },
});

export const groupCommands = [joinGroup];
