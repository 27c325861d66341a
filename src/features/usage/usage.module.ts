import { Module } from '@nestjs/common';

/** Usage of keys: reports, and what is summed up of them. */
@Module({})
export class UsageModule {}
