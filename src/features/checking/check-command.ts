import { writeFileSync } from "node:fs";
import { reportOf, summaryOf } from "../../../check/src/check-report.ts";
import type { CheckRun } from "../../../check/src/check-server.ts";
import { parts } from "../../../check/src/point.ts";
import { bvn } from "../../checks/bvn.ts";
import type { Config } from "../../config/read-config.ts";
import { settings } from "../../config/settings.ts";
import { memberForm } from "../../declare/command/forms.ts";
import { flag, formed, InputError } from "../../declare/command/read-texts.ts";
import { CommandError, command } from "../../declare/command.ts";
import { someTime } from "../../declare/duration.ts";
import Type from "../../declare/schema/type.ts";
import { anyText, httpUrl } from "../../declare/setting.ts";
import { boundedAgent } from "../../runtime/network/bounded-agents.ts";
import { unreachableSentence } from "../../runtime/network/unreachable.ts";

const product = {
  form: "a type and a code, such as dstv/PRWE36",
  read: (text: string): { type: string; productCode: string } | undefined => {
    const [, type = "", productCode = ""] = /^([^/\s]+)\/([^/\s]+)$/.exec(text) ?? [];
    return type === "" ? undefined : { type, productCode };
  },
};

/** `duba check`: whether a server keeps the interface. */
export const checkCommand = command({
  id: "check",
  title: "Check a server",
  summary: "Check whether a server keeps the interface, point by point.",
  description:
    "It calls a Duba, or any server that claims to be compatible, and prints what holds and what does not, " +
    "with the request and the answer. Reports hold no key and no BVN. It verifies a person, so use a test key. " +
    "The exit code is 1 if a point does not hold.",
  role: "officer",
  kind: "read",
  only: "terminal",
  store: "none",
  counts: "points",
  target: ["url"],
  input: Type.Object({
    url: formed(httpUrl, {
      description:
        "Address of the server: what comes before /api/v2. It may end with /api/v2, " +
        "or with /api if the paths of the server begin so.",
      placeholder: "url",
    }),
    key: Type.Optional(
      formed(anyText, {
        description: `API key to send. Other users of the machine can see the option, so prefer ${settings.callKey.name}. Overrides ${settings.callKey.name}.`,
        placeholder: "api key",
        setting: settings.callKey.name,
      }),
    ),
    key_on_stdin: flag("Read the API key from the first line of standard input."),
    api_key: Type.Optional(
      Type.String({ description: "API key to send.", placeholder: "API key", private: true, with: "key_on_stdin" }),
    ),
    other_key: Type.Optional(
      formed(anyText, {
        description:
          "API key of another account, of the same mode: asks whether it can read what the first one verified. " +
          "It verifies a person too.",
        placeholder: "api key",
      }),
    ),
    live_safe: flag("Leave out what verifies a person, and so may cost money."),
    duba: flag("Check as well what Duba promises beyond the documented interface."),
    only: Type.Optional(
      Type.Array(Type.String(), {
        description: "Only points whose id begins with this, such as lookupDataBundles or verifyBvn.replay.",
        placeholder: "id",
      }),
    ),
    provider: Type.String({
      description: "Code of a data provider whose bundles the server lists.",
      placeholder: "code",
      default: "MTNDATA",
      minLength: 1,
    }),
    product: formed(product, {
      description: "Type and code of a cable-TV product with add-ons on the server.",
      placeholder: "type/code",
      default: "dstv/PRWE36",
    }),
    person: flag(
      "Verify the person whose BVN and phone number stand on standard input, not one of the sandbox. " +
        "With a live key this costs money.",
    ),
    bvn: Type.Optional(
      formed(memberForm(bvn.request.bvn!), { description: "BVN of the person.", private: true, with: "person" }),
    ),
    phone: Type.Optional(
      formed(memberForm(bvn.request.phone!), {
        description: "Phone number of the person.",
        private: true,
        with: "person",
      }),
    ),
    timeout: formed(someTime, { description: "How long to wait for each answer.", default: "30s" }),
    junit: Type.Optional(
      Type.String({ description: "File for the results as JUnit XML.", placeholder: "file", minLength: 1 }),
    ),
  }),
  answer: Type.Object({
    url: Type.String(),
    seconds: Type.Number(),
    /** The part of these seconds spent waiting for the server's limits. */
    waited: Type.Number(),
    holds: Type.Integer(),
    broken: Type.Integer(),
    left_out: Type.Integer(),
    points: Type.Array(
      Type.Object({
        id: Type.String(),
        part: Type.Enum([...parts]),
        sentence: Type.String(),
        outcome: Type.Enum(["holds", "broken", "left_out"]),
        why: Type.Array(Type.String()),
        milliseconds: Type.Integer(),
        exchanges: Type.Array(Type.Object({ request: Type.String(), answer: Type.String() })),
      }),
    ),
  }),
  view: (response) => [
    ...reportOf(response.points),
    "",
    ...(response.broken === 0 ? [summaryOf(response)] : [{ problem: summaryOf(response) }]),
  ],
  isWell: ({ broken }) => broken === 0,
  guide: {
    heading: "What to know:",
    items: [
      [
        "Points",
        "Each point is one sentence. `interface` is what a compatible server must do; " +
          "`duba` is what only a Duba promises.",
      ],
      [
        "Money",
        "A live key is refused without --live-safe or --person. With --person a server that holds all points " +
          "verifies that person once.",
      ],
      ["Limits", "The check sends about 50 requests, with --duba about 150. It waits if the server limits it."],
    ],
  },
  examples: [
    { url: "http://127.0.0.1:8080" },
    { url: "https://vendor.example", live_safe: true, junit: "check.xml" },
    { url: "https://duba.example", duba: true, only: ["verifyBvn"] },
  ],
  run: async (input, { config, progress }: { config: Config; progress: (done: number, all?: number) => void }) => {
    const key = (input.api_key ?? config.callKey).trim();
    if (!/^[!-~]*$/.test(key)) throw new InputError("The API key must be visible ASCII text without spaces.");
    if (key.startsWith("duba_live_") && !input.live_safe && !input.person)
      throw new InputError(
        "This is a live key, and the check verifies a person. Add --live-safe to leave that out, " +
          "or --person to name the person.",
      );
    const otherKey = input.other_key ?? "";
    const modeOf = (text: string) => /^duba_(test|live)_/.exec(text)?.[1];
    if (
      otherKey !== "" &&
      (otherKey === key || (modeOf(otherKey) ?? modeOf(key)) !== (modeOf(key) ?? modeOf(otherKey)))
    )
      throw new InputError("--other-key must be a key of another account, of the same mode as the first key.");
    const { CheckError, checkServer } = await import("../../../check/src/check-server.ts");
    const { only, live_safe = false, duba = false, junit } = input;
    const person = input.person ? { bvn: input.bvn!, phone: `0${input.phone}` } : undefined;
    const run: CheckRun = {
      url: input.url,
      key,
      otherKey,
      only: only ?? [],
      liveSafe: live_safe,
      duba,
      timeout: input.timeout,
      progress,
      unreachable: unreachableSentence,
      agentOf: (protocol) => boundedAgent(protocol, { keepAlive: true }),
      values: { provider: input.provider, ...input.product, ...person },
    };
    const { results, seconds, waited } = await checkServer(run).catch((error: unknown) => {
      if (!(error instanceof CheckError)) throw error;
      throw error.isOfInput ? new InputError(error.message) : new CommandError(error.message);
    });
    if (junit !== undefined) {
      const { junitOf } = await import("../../../check/src/junit.ts");
      save(junit, junitOf(results, new URL(input.url).host, seconds));
    }
    const count = (outcome: string) => results.filter((result) => result.outcome === outcome).length;
    return {
      url: input.url,
      seconds,
      waited,
      holds: count("holds"),
      broken: count("broken"),
      left_out: count("left_out"),
      points: results,
    };
  },
});

function save(path: string, text: string): void {
  try {
    writeFileSync(path, text, { mode: 0o644 });
  } catch (error) {
    throw new CommandError(`Duba cannot write the file ${path} (${(error as NodeJS.ErrnoException).code}).`);
  }
}
