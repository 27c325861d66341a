import { Body, Controller, Delete, Get, Inject, Param, Put, Req, Res } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import { ApiBody, ApiParam, ApiTags } from '@nestjs/swagger';
import type express from 'express';
import { type Caller, CurrentCaller, RequestOrigin } from '../../edge/http/callers/caller.js';
import { Refuses } from '../../edge/http/openapi/errors.js';
import * as answer from '../../edge/http/openapi/answer.js';
import { Operation } from '../../edge/http/openapi/operation.js';
import { requireBearerKey } from '../../edge/http/callers/bearer-key.js';
import { BodyOf } from '../../edge/http/requests/json-body.guard.js';
import { parseBody } from '../../edge/http/requests/read-body.js';
import { SlotsOf } from '../../edge/rate-limits/account-concurrency.guard.js';
import { For } from '../../edge/http/callers/roles.js';
import { RateLimit } from '../../edge/rate-limits/rate-limit.guard.js';
import type { DecisionRunner } from '../../event-sourcing/decisions/decision-runner.js';
import { notFound, Refusal, Unavailable } from '../../kernel/errors.js';
import { inTime } from '../../event-sourcing/waiting/in-time.js';
import type { Origin } from '../../kernel/metadata.js';
import type { Amounts } from './domain/amounts.js';
import { numberUsd } from '../../kernel/usd.js';
import type { InParts } from './domain/in-parts.js';
import { sumOfRecords, type UsageRecord } from './domain/usage-record.js';
import { isReportId, usageReport, usageReportId } from './domain/accepted-once.js';
import { totalOf } from './domain/usage-sums.js';
import { ReportTurns } from './report-turns.js';
import { USAGE } from '../../event-sourcing/ledger.js';
import { readRecords, REPORT_SCHEMA } from './usage-report-body.js';
import {
  presentReport,
  presentStoredReport,
  REPORT_ID_IN_PATH,
  StoredReportRecord,
  UsageReportRecord,
} from './usage-report.fields.js';
import { ReportUsage, ReverseUsage } from './usage-reports.commands.js';

/** The greatest size of a report. A report of this size fits into one append of every log. */
export const REPORT_LIMIT_BYTES = 512 * 1024;

/** The time after the arrival of its body in which a report is answered, whatever it waits for. */
const ANSWERED_WITHIN_MS = 12_000;

const NO_ID = {
  path: 'report_id',
  message: 'must be a UUID, and neither the nil nor the max UUID',
};

/** Reports of usage (docs/api.md 13). */
@ApiTags('Usage')
@Controller('v1/usage-reports')
export class UsageReportsController {
  constructor(
    private readonly commands: CommandBus,
    @Inject(USAGE.runner) private readonly runner: DecisionRunner,
    private readonly turns: ReportTurns,
  ) {}

  @Put(':report_id')
  @For('gateways')
  @RateLimit('usage')
  @SlotsOf('usage-reports')
  @BodyOf({ limitBytes: REPORT_LIMIT_BYTES, isParsedLater: true })
  @ApiParam(REPORT_ID_IN_PATH)
  @ApiBody({ schema: REPORT_SCHEMA })
  @Operation('reportUsage', 'Report the cost of uses of keys, once', {
    ...answer.one(UsageReportRecord, 201),
    repeated: 200,
  })
  @Refuses(['occurred-at-out-of-range', 'usage-report-differs', 'report-reversed', 'usage-behind'])
  async report(
    @Param('report_id') id: string,
    @Body() bytes: unknown,
    @CurrentCaller() { accountId }: Caller,
    @RequestOrigin() origin: Origin,
    @Req() request: express.Request,
    @Res({ passthrough: true }) response: express.Response,
  ): Promise<{ data: UsageReportRecord }> {
    const bodyAt = request.bodyReadAt ?? performance.now();
    const reportId = id.toLowerCase();
    const work = readReport(reportId, bytes, requireBearerKey(request));
    const accepted = this.turns.run('read', accountId, work).then((records) => {
      request.logged = logFieldsOf(reportId, records.length, sumOfRecords(records));
      const command = new ReportUsage(accountId, reportId, records, origin, bodyAt);
      return this.commands.execute(command);
    });
    const left = bodyAt + ANSWERED_WITHIN_MS - performance.now();
    const { report, isNew } = await inTime(accepted, left, lateAnswer);
    response.status(isNew ? 201 : 200);
    return { data: presentReport(report) };
  }

  @Get(':report_id')
  @For('anyone')
  @ApiParam(REPORT_ID_IN_PATH)
  @Operation('readUsageReport', 'Read an accepted report', answer.one(StoredReportRecord))
  async read(
    @Param('report_id') id: string,
    @CurrentCaller() { accountId }: Caller,
  ): Promise<{ data: StoredReportRecord }> {
    const reportId = id.toLowerCase();
    if (!isReportId(reportId)) throw notFound();
    const name = usageReportId(accountId, reportId);
    const report = await this.runner.load(usageReport, name, accountId);
    if (!report) throw notFound();
    return { data: presentStoredReport(report) };
  }

  @Delete(':report_id')
  @ApiParam(REPORT_ID_IN_PATH)
  @Operation('reverseUsageReport', 'Reverse a report, once', answer.one(StoredReportRecord))
  async reverse(
    @Param('report_id') id: string,
    @CurrentCaller() { accountId }: Caller,
    @RequestOrigin() origin: Origin,
    @Req() request: express.Request,
  ): Promise<{ data: StoredReportRecord }> {
    const reportId = id.toLowerCase();
    if (!isReportId(reportId)) throw notFound();
    const report = await this.commands.execute(new ReverseUsage(accountId, reportId, origin));
    request.logged = logFieldsOf(reportId, report.accepted, totalOf(report));
    return { data: presentStoredReport(report) };
  }
}

/** Parses and reads a report, with a break between the two. @throws Refusal of what is wrong. */
function* readReport(reportId: string, bytes: unknown, ownKey: string): InParts<UsageRecord[]> {
  const body = parseBody(bytes, ownKey);
  if (!isReportId(reportId)) throw new Refusal('request-invalid', { issues: [NO_ID] });
  yield;
  return yield* readRecords(body);
}

/** The report may still be stored. A repeat shows whether it was. */
function lateAnswer(): Unavailable {
  return new Unavailable('usage log', `a report was not stored within ${ANSWERED_WITHIN_MS} ms`);
}

/** Returns what a request's log line says of its report, so that one that went wrong is found. */
function logFieldsOf(
  report_id: string,
  records: number,
  { usage, byok_usage }: Amounts,
): Readonly<Record<string, string | number>> {
  return { report_id, records, usage: numberUsd(usage), byok_usage: numberUsd(byok_usage) };
}
