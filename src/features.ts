import type { Feature } from "./commands/feature.ts";
import { auditReading } from "./features/audit-reading/index.ts";
import { backups } from "./features/backup/index.ts";
import { books } from "./features/books/index.ts";
import { call } from "./features/call/index.ts";
import { catalogueEditing } from "./features/catalogue-editing/index.ts";
import { changeFeed } from "./features/change-feed/index.ts";
import { checking } from "./features/checking/index.ts";
import { operatorsConsole } from "./features/console/index.ts";
import { dataSubjects } from "./features/data-subjects/index.ts";
import { demo } from "./features/demo/index.ts";
import { doctor } from "./features/doctor/index.ts";
import { events } from "./features/events/index.ts";
import { evidence } from "./features/evidence/index.ts";
import { find } from "./features/find/index.ts";
import { serviceHealth } from "./features/health/index.ts";
import { keyRotation } from "./features/key-rotation/index.ts";
import { ledgerReports } from "./features/ledger-reports/index.ts";
import { metrics } from "./features/metrics/index.ts";
import { requestLog } from "./features/request-log/index.ts";
import { routes } from "./features/routes/index.ts";
import { sources } from "./features/sources/index.ts";
import { specialPrices } from "./features/special-prices/index.ts";
import { standIn } from "./features/stand-in/index.ts";
import { tracing } from "./features/tracing/index.ts";
import { vendorTest } from "./features/vendor-test/index.ts";

/** The optional features, in the order in which they open. */
export const features: readonly Feature[] = [
  tracing,
  catalogueEditing,
  specialPrices,
  sources,
  changeFeed,
  routes,
  events,
  ledgerReports,
  requestLog,
  serviceHealth,
  find,
  doctor,
  evidence,
  checking,
  call,
  standIn,
  demo,
  dataSubjects,
  books,
  backups,
  vendorTest,
  auditReading,
  keyRotation,
  operatorsConsole,
  // Comes last, so that the metrics include all other features.
  metrics,
];

/** The settings of features. */
export const settingsOfFeatures = features.flatMap(({ settings }) => Object.values(settings ?? {}));

/** The pages of features, and the features' additions to the core's pages. */
export const pagesOfFeatures = features.flatMap(({ pages }) => pages ?? []);

/** The functions that return the health of each feature. */
export const healthOfFeatures = features.flatMap((each) => each.health ?? []);

/** The commands of features that stand alone, such as `duba listen`, and do not belong to a family of commands. */
export const words = features.flatMap((each) => each.words ?? []);

/** The functions by which features add to the story of a verification. */
export const stories = features.flatMap(({ story }) => story ?? []);
