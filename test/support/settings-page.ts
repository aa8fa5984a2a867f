import { everySetting } from "../../src/wire/every-setting.ts";

/** Settings by purpose. A setting stands in the first section whose pattern matches. */
const sections: readonly [title: string, names: RegExp][] = [
  [
    "Begin",
    anyOf(
      "HOST",
      "PORT",
      "DUBA_DATA",
      "DUBA_DATABASE_URL",
      "DUBA_KEYRING",
      "DUBA_BOOTSTRAP_KEY",
      "DUBA_CONSOLE",
      "DUBA_METRICS",
      "DUBA_UPSTREAMS",
      "DUBA_BVN_FEE",
      "DUBA_NIN_FEE",
      "DUBA_CATALOGUE_SOURCE",
      "DUBA_TIME_ZONE",
    ),
  ],
  ["Start, stop, and serve with more than one process", /^DUBA_(WORKERS|DATABASE_READ_URL|STOP_\w+)$/],
  ["Serve behind a proxy", /^DUBA_(TRUST_PROXY|PUBLIC_URL|PATH_PREFIXES|CONSOLE_ORIGIN)$/],
  ["Bound what callers send and ask", /^DUBA_(ANONYMOUS|LIMITS?\w*|REQUEST_TIMEOUT|MAX_\w+|VENDOR_CALLS\w+)$/],
  ["See what happens", /^(OTEL_\w+|DUBA_(LOG_LEVEL|ACCESS_LOG|REQUEST_LOG|ALARM_\w+|DOCS|SERVER_TIMING))$/],
  [
    "Decide how a person is verified",
    anyOf(
      "DUBA_AMOUNT_POLICY",
      "DUBA_PHONE_MATCH",
      "DUBA_NEGATIVE_DETAIL",
      "DUBA_CONSENT",
      "DUBA_RECORD_RETENTION",
      "DUBA_VERIFICATION_TIMEOUT",
      "DUBA_WALLET_UNLIMITED",
    ),
  ],
  ["Protect the service from a hurried hand", /^DUBA_(FOUR_EYES|GUARD_\w+|KEYRING_ROTATE)$/],
  ["Choose among vendors", /^DUBA_(ROUTE\w*|UPSTREAM_\w+|STAND_INS)$/],
  ["Keep and follow a catalogue", /^DUBA_(CATALOGUE|VTPASS|EBILLS|BAXI)_\w+$/],
  ["Bill your clients", /^DUBA_(BUSINESS_\w+|TAX)$/],
  ["Send events", /^DUBA_EVENT_\w+$/],
  ["Call a service from the command line", /^DUBA_(URL|API_KEY)$/],
  ["Set up a vendor", /^DUBA_/],
];

const opening = `# Settings

All settings are environment variables. The service does not start with an invalid value or with an unknown name that begins with \`DUBA_\`. In a checkout, \`npm start\`
and \`npm run duba\` also read them from the file \`.env\` in the current folder, which must be yours, and which nobody else may be able to write.
\`.env.example\` has those of the first day. This page is generated from the code.
`;

function anyOf(...names: string[]): RegExp {
  return new RegExp(`^(?:${names.join("|")})$`);
}

/** Returns all settings by section. The first section has the settings of a first start. */
function settingsBySection() {
  const sectionOf = (name: string) => sections.findIndex(([, names]) => names.test(name));
  return sections.map(([title], at) => ({
    title,
    settings: everySetting.filter(({ name }) => sectionOf(name) === at),
  }));
}

function aboutOf({ name, about, secret }: (typeof everySetting)[number]): string {
  return secret ? `${about} Or ${name}_FILE: the path of a file that holds it.` : about;
}

/** The text of `docs/settings.md`. */
export function settingsPage(): string {
  const parts = settingsBySection().map(({ title, settings }) => {
    const rows = settings.map(
      (setting) =>
        `| \`${setting.name}\` | ${setting.default ? `\`${setting.default}\`` : ""} | ${aboutOf(setting)} | ${setting.form} |`,
    );
    return [
      `## ${title}\n`,
      "| setting | default | what it does | form |",
      "| --- | --- | --- | --- |",
      ...rows,
      "",
    ].join("\n");
  });
  return [opening, ...parts].join("\n");
}

/** The text of `.env.example`: the first section. */
export function environmentExample(): string {
  const entries = settingsBySection()[0]!.settings.map(
    (setting) => `# ${aboutOf(setting)}\n# ${setting.name} is ${setting.form}.\n#${setting.name}=${setting.default}\n`,
  );
  const head = "# What somebody sets on the first day, with its default. All settings are in docs/settings.md.\n";
  return `${head}# Copy to .env, which npm start reads.\n\n${entries.join("\n")}`;
}
