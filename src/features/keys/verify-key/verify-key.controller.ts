import {
  Body,
  Controller,
  HttpCode,
  Inject,
  Post,
  Req,
  UseGuards,
  UseInterceptors,
} from '@nestjs/common';
import { QueryBus } from '@nestjs/cqrs';
import { ApiTags } from '@nestjs/swagger';
import type { Request } from 'express';
import { type Caller, CurrentCaller } from '../../../edge/http/callers/caller.js';
import { jsonBodyWithKey } from '../../../edge/http/requests/json-body.interceptor.js';
import { ManagementKeyGuard } from '../../../edge/http/callers/management-key.guard.js';
import { one, Operation } from '../../../edge/http/openapi/operation.js';
import { ShapePipe } from '../../../edge/http/fields/shape.pipe.js';
import { VerificationRoute } from '../../../edge/http/requests/verification-route.js';
import {
  VerificationShape,
  presentVerification,
  type VerificationRecord,
} from '../verification-record.js';
import { hashOfNamed, VerifyKeyRequest } from './verify-key.request.js';
import { VerifyKey } from './verify-key.lookup.js';

@ApiTags('Verification')
@Controller('v1/keys')
@UseGuards(ManagementKeyGuard)
export class VerifyKeyController {
  constructor(@Inject(QueryBus) private readonly queries: QueryBus) {}

  @Post('verify')
  @HttpCode(200)
  @VerificationRoute()
  @UseInterceptors(jsonBodyWithKey('key'))
  @Operation('verifyKey', 'Ask whether a key may be used', one(VerificationShape))
  async verify(
    @Body(new ShapePipe(VerifyKeyRequest, 'refused')) body: VerifyKeyRequest,
    @CurrentCaller() { accountId }: Caller,
    @Req() { askedAt }: Request,
  ): Promise<{ data: VerificationRecord }> {
    const workspaceId = body.workspace_id ?? undefined;
    const question = new VerifyKey(accountId, hashOfNamed(body), workspaceId, askedAt);
    return { data: presentVerification(await this.queries.execute(question)) };
  }
}
