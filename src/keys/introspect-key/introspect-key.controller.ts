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
import { ApiConsumes, getSchemaPath } from '@nestjs/swagger';
import type { Request } from 'express';
import { type Caller, CurrentCaller } from '../../http/caller.js';
import { fieldRefusal, refusal } from '../../http/described-refusals.js';
import { Text } from '../../http/field-decorators.js';
import { FORM_LIMIT_BYTES, FormBodyInterceptor } from '../../http/form-body.interceptor.js';
import { ManagementKeyGuard } from '../../http/management-key.guard.js';
import { DescribeOperation } from '../../http/openapi.js';
import { VerificationRoute } from '../../http/verification-route.js';
import { Refusal } from '../../kernel/errors.js';
import { hashOfKeyString } from '../../key-strings/key-string.js';
import { VerifyKey } from '../verify-key/verify-key.lookup.js';
import {
  describedIntrospection,
  type IntrospectionRecord,
  ISSUER,
  presentIntrospection,
} from './introspection-record.js';

const TOKEN_RULE = 'must be given once, and not be empty';

class IntrospectKeyRequest {
  @Text('The key string. It is neither stored nor logged.', { min: 1, max: FORM_LIMIT_BYTES })
  readonly token: string = '';
}

const { shape, example } = describedIntrospection;

@Controller('v1/oauth')
@UseGuards(ManagementKeyGuard)
export class IntrospectKeyController {
  constructor(
    @Inject(QueryBus) private readonly queries: QueryBus,
    @Inject(ISSUER) private readonly issuer: string | undefined,
  ) {}

  @Post('introspect')
  @HttpCode(200)
  @VerificationRoute()
  @UseInterceptors(FormBodyInterceptor)
  @ApiConsumes('application/x-www-form-urlencoded')
  @DescribeOperation({
    tag: 'Verification',
    id: 'introspectKey',
    summary: 'Introspect a key by RFC 7662',
    description: 'A key that may not be used is `{"active":false}`, whatever the reason.',
    request: {
      shape: IntrospectKeyRequest,
      examples: { 'a key string': { token: '<API_KEY>' } },
      isForm: true,
    },
    success: {
      status: 200,
      description: 'Whether the key may be used, and whose it is.',
      models: [shape],
      schema: { $ref: getSchemaPath(shape) },
      example,
    },
    refusals: [
      fieldRefusal('request-invalid', 'token', TOKEN_RULE),
      refusal('body-too-large', { limit_bytes: FORM_LIMIT_BYTES }),
    ],
  })
  async introspect(
    @Body() form: URLSearchParams,
    @CurrentCaller() { accountId }: Caller,
    @Req() request: Request,
  ): Promise<IntrospectionRecord> {
    const [token = '', ...others] = form.getAll('token');
    if (token === '' || others.length > 0) {
      throw new Refusal('request-invalid', { issues: [{ path: 'token', message: TOKEN_RULE }] });
    }
    const hash = hashOfKeyString(token);
    const question = new VerifyKey(accountId, hash, undefined, request.askedAt);
    return presentIntrospection(await this.queries.execute(question), this.issuer);
  }
}
