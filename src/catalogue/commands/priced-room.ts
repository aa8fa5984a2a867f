import { mend } from "../../declare/command/mend.ts";
import { CommandError } from "../../declare/command.ts";
import Type from "../../declare/schema/type.ts";
import type { TimeZone } from "../../runtime/time-zone.ts";
import { groupsIn, isGroup } from "../model/price-lists.ts";
import type { Snapshot } from "../model/snapshot.ts";
import { groupForm } from "../prices/price-forms.ts";
import type { CatalogueRoom } from "./publisher.ts";

/** The functions of the accounts' part that these commands need. */
export interface PricedAccounts {
  accounts: {
    /** The account with this id or e-mail, or the only one with this name. Throws if there is none. */
    find(idOrEmail: string): Promise<{ id: string; email: string }>;
    /** All accounts, oldest first. */
    all(): Promise<readonly { id: string; name: string; email: string }[]>;
  };
}

export type PricedRoom = CatalogueRoom & PricedAccounts & { config: { timeZone: TimeZone } };

export const holderAbout = "E-mail or id of the account, or a group such as group:agents.";
export const holder = Type.String({ description: holderAbout });

/**
 * The account with this id, e-mail or name, or the group of this name. Throws if there is no such account or if no
 * group can have this name.
 */
export async function findHolder({ accounts }: PricedAccounts, text: string): Promise<{ id: string; name: string }> {
  if (!isGroup(text.toLowerCase())) {
    const { id, email } = await accounts.find(text);
    return { id, name: email };
  }
  const id = groupForm.read(text.toLowerCase());
  if (id === undefined) throw new CommandError(`${text} must be group: and ${groupForm.form}.`);
  return { id, name: id };
}

/** Like `findHolder`, but a group must have rules or members. */
export async function findPriced(room: PricedAccounts, snapshot: Snapshot, text: string) {
  const found = await findHolder(room, text);
  if (isGroup(found.id) && !groupsIn(snapshot).includes(found.id))
    throw new CommandError(`There is no ${found.id}.`, mend("To see the groups", "prices.list"));
  return found;
}
