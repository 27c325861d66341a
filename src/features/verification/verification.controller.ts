import { Body, Controller, Inject, Post } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { AskedAt, type Caller, CurrentCaller } from '../../edge/http/callers/caller.js';
import { VerificationRoute } from '../../edge/http/callers/key.guard.js';
import { For } from '../../edge/http/callers/roles.js';
import { ShapePipe } from '../../edge/http/fields/shape.pipe.js';
import * as answer from '../../edge/http/openapi/answer.js';
import { Operation } from '../../edge/http/openapi/operation.js';
import { BodyOf } from '../../edge/http/requests/json-body.guard.js';
import { SlotsOf } from '../../edge/rate-limits/account-concurrency.guard.js';
import { FOREIGN_KEYS } from './asked-key.js';
import {
  askedIn,
  presentVerification,
  type VerificationRecord,
  VerificationShape,
  VerifyKeyRequest,
} from './verification.fields.js';
import { Verifier } from './verifier.js';

/** Verifications of one key (docs/api.md 12.2). */
@ApiTags('Verification')
@Controller('v1/keys')
export class VerificationController {
  constructor(
    private readonly verifier: Verifier,
    @Inject(FOREIGN_KEYS) private readonly foreignKeys: boolean,
  ) {}

  @Post('verify')
  @VerificationRoute(true)
  @For('gateways')
  @SlotsOf('verifications')
  @BodyOf({ keyStringIn: 'key' })
  @Operation('verifyKey', 'Check whether a key may be used', answer.one(VerificationShape))
  async verify(
    @Body(new ShapePipe(VerifyKeyRequest, 'refused')) body: VerifyKeyRequest,
    @CurrentCaller() { accountId }: Caller,
    @AskedAt() askedAt: number,
  ): Promise<{ data: VerificationRecord }> {
    const workspaceId = body.workspace_id ?? undefined;
    const user = body.user ?? undefined;
    const asked = askedIn(body, this.foreignKeys);
    const question = { accountId, asked, workspaceId, user, askedAt, showsRemaining: true };
    return { data: presentVerification(await this.verifier.verify(question)) };
  }
}
