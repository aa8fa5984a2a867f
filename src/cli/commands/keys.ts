import { type Command, InvalidArgumentError, Option } from "commander";
import { findAccount, listAccounts } from "../../access/accounts/accounts.ts";
import { readApiKey } from "../../access/keys/api-key.ts";
import { type ApiKey, createKey, listKeys, revokeKey } from "../../access/keys/keys.ts";
import { rollKey } from "../../access/keys/roll.ts";
import { settings } from "../../config/settings.ts";
import { type Mode, scopes } from "../../operation/operation.ts";
import { duration } from "../../operation/setting.ts";
import { withStore } from "../store.ts";
import { expiryOption } from "../terminal/expiry.ts";
import { examples, subcommand } from "../terminal/help.ts";
import type { Io } from "../terminal/io.ts";
import { repeatableOption, settingOption } from "../terminal/options.ts";
import { painter, table, timeOf } from "../terminal/table.ts";

interface CreateOptions {
  account: string;
  mode: Mode;
  label?: string;
  scope?: string[];
  expires?: number;
  address?: string[];
  data?: string;
  json?: true;
}

interface ListOptions {
  account?: string;
  data?: string;
  json?: true;
}

/** `duba keys`: API keys of the accounts. */
export function addKeys(program: Command, io: Io): void {
  const keys = subcommand(program, "keys", "Manage API keys: create, list, roll, revoke.");
  addCreate(keys, io);
  addList(keys, io);
  addRoll(keys, io);
  addRevoke(keys, io);
  examples(keys, "duba keys create --account shop@example.com --label checkout", "duba keys list");
}

function addCreate(keys: Command, io: Io): void {
  const command = subcommand(
    keys,
    "create",
    "Create an API key. The command prints the key once, alone on standard output. Duba stores only a hash and cannot show the key again.",
  )
    .requiredOption("--account <id or e-mail>", "Account of the key.")
    .addOption(
      new Option("--mode <mode>", "A test key uses only the sandbox. A live key never uses it.")
        .choices(["test", "live"])
        .default("test"),
    )
    .option("--label <text>", "A name for the key, so that you recognise it.")
    .addOption(
      repeatableOption(
        "--scope <scope>",
        `Permission: ${scopes.join(" or ")}. You can repeat the option. Default: all permissions.`,
      ),
    )
    .addOption(expiryOption("--expires <when>"))
    .addOption(
      repeatableOption(
        "--address <ip or network>",
        "Address or network that may use the key, such as 10.0.0.0/8. You can repeat the option.",
      ),
    )
    .addOption(settingOption("--data <directory>", settings.dataDirectory))
    .option("--json", "print the key and its facts as JSON")
    .action(async ({ account, mode, label = "", scope, expires, address, data, json }: CreateOptions) => {
      const { key, text, email } = await withStore(io, data, async (store) => ({
        ...(await createKey(store, {
          account,
          mode,
          label,
          ...(scope && { scopes: scope }),
          ...(expires !== undefined && { expiresAt: expires }),
          ...(address && { addresses: address }),
        })),
        email: (await findAccount(store.db, account)).email,
      }));
      if (json) return io.out(`${JSON.stringify({ ...facts(key, email), key: text }, null, 2)}\n`);
      io.out(`${text}\n`);
      const end = key.expiresAt === null ? "" : `, until ${timeOf(key.expiresAt)}`;
      io.err(`This ${mode} key ${key.id} of ${email} may ${key.scopes.join(" and ")}${end}.\n`);
      io.err("Save the key now. Duba does not show it again.\n");
    });
  examples(
    command,
    "duba keys create --account shop@example.com --label checkout",
    "duba keys create --account shop@example.com --mode live --scope identity:verify \\",
    "  --expires 90d --address 203.0.113.7 --address 10.0.0.0/8",
  );
}

function addList(keys: Command, io: Io): void {
  const command = subcommand(keys, "list", "List the keys, oldest first, without their secrets.")
    .option("--account <id or e-mail>", "Only the keys of this account.")
    .addOption(settingOption("--data <directory>", settings.dataDirectory))
    .option("--json", "print the keys as JSON")
    .action(async ({ account, data, json }: ListOptions) => {
      const { found, emails } = await withStore(io, data, async ({ db }) => ({
        found: await listKeys(db, account),
        emails: new Map((await listAccounts(db)).map(({ id, email }) => [id, email])),
      }));
      const emailOf = ({ accountId }: ApiKey) => emails.get(accountId) ?? accountId;
      if (json)
        return io.out(
          `${JSON.stringify(
            found.map((key) => facts(key, emailOf(key))),
            null,
            2,
          )}\n`,
        );
      const rows = found.map((key) => ({
        id: key.id,
        account: emailOf(key),
        mode: key.mode,
        label: key.label,
        scopes: key.scopes.join(" "),
        created: timeOf(key.createdAt),
        expires: timeOf(key.expiresAt),
        state: stateOf(key),
      }));
      io.out(table(rows, painter(io.colours?.out)));
    });
  examples(command, "duba keys list", "duba keys list --account shop@example.com --json");
}

function addRoll(keys: Command, io: Io): void {
  const command = subcommand(
    keys,
    "roll",
    "Replace a key with a new key of the same mode, label, scopes and addresses. The old key and its tokens stay valid " +
      "for the overlap. The command prints the new key once, alone on standard output.",
  )
    .argument("<id>", "Public id of the key, which `duba keys list` shows, or the whole key.")
    .addOption(
      new Option("--overlap <time>", "How long the old key stays valid. 0s: it ends at once.")
        .default(24 * 3_600_000, "24h")
        .argParser((text: string) => {
          const overlap = duration.read(text);
          if (overlap === undefined) throw new InvalidArgumentError(`It must be ${duration.form}.`);
          return overlap;
        }),
    )
    .addOption(settingOption("--data <directory>", settings.dataDirectory))
    .option("--json", "print the new key and its facts as JSON")
    .action(async (given: string, { overlap, data, json }: { overlap: number; data?: string; json?: true }) => {
      const id = readApiKey(given)?.id ?? given;
      const { key, text, old, email } = await withStore(io, data, async (store) => {
        const rolled = await rollKey(store, { id, overlap });
        return { ...rolled, email: (await findAccount(store.db, rolled.key.accountId)).email };
      });
      if (json) return io.out(`${JSON.stringify({ ...facts(key, email), key: text }, null, 2)}\n`);
      io.out(`${text}\n`);
      io.err(`This ${key.mode} key ${key.id} of ${email} replaces ${old.id}, which ends ${timeOf(old.expiresAt)}.\n`);
      io.err("Save the key now. Duba does not show it again.\n");
    });
  examples(command, "duba keys roll 4Zq8mPx0LtV2", "duba keys roll 4Zq8mPx0LtV2 --overlap 1h");
}

function addRevoke(keys: Command, io: Io): void {
  const command = subcommand(
    keys,
    "revoke",
    "Revoke a key and all its access tokens. Running instances apply it within 5 seconds.",
  )
    .argument("<id>", "Public id of the key, which `duba keys list` shows, or the whole key.")
    .addOption(settingOption("--data <directory>", settings.dataDirectory))
    .action(async (given: string, { data }: { data?: string }) => {
      const id = readApiKey(given)?.id ?? given;
      const key = await withStore(io, data, (store) => revokeKey(store, id));
      io.out(`Key ${key.id} is revoked since ${timeOf(key.revokedAt)}. Running instances apply it within 5 seconds.\n`);
    });
  examples(command, "duba keys revoke 4Zq8mPx0LtV2");
}

function facts(key: ApiKey, email: string) {
  const time = (milliseconds: number | null) => milliseconds && new Date(milliseconds).toISOString();
  return {
    id: key.id,
    account: email,
    account_id: key.accountId,
    mode: key.mode,
    label: key.label,
    scopes: key.scopes,
    addresses: key.addresses,
    created_at: time(key.createdAt),
    expires_at: time(key.expiresAt),
    revoked_at: time(key.revokedAt),
    state: stateOf(key),
  };
}

function stateOf({ revokedAt, expiresAt }: ApiKey): "revoked" | "expired" | "active" {
  if (revokedAt !== null) return "revoked";
  return expiresAt !== null && expiresAt <= Date.now() ? "expired" : "active";
}
