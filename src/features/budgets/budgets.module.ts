import { Module } from '@nestjs/common';
import { BudgetRecords } from './budget-records.js';
import { ChangeBudgetHandler } from './budgets.commands.js';
import { BudgetsController } from './budgets.controller.js';

@Module({
  controllers: [BudgetsController],
  providers: [BudgetRecords, ChangeBudgetHandler],
})
export class BudgetsModule {}
