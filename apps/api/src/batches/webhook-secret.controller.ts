import { Controller, Get, Inject, Req } from '@nestjs/common';
import { CONFIG, type Config } from '@donorlens/config';
import { addressSecretOf, webhookSecret } from '@donorlens/webhooks';
import { type FastifyRequest } from 'fastify';
import { z } from 'zod';
import { identityOf } from '../access/access.hook';
import { Route } from '../http/route-policy';

/** What the messages to a key's webhooks are signed with. */
@Controller('enrich/v1/webhook-secret')
export class WebhookSecretController {
  constructor(@Inject(CONFIG) private readonly config: Pick<Config, 'addressSecret'>) {}

  @Get()
  @Route({
    access: 'enrich:batch',
    summary: 'The secret with which messages about batches of this key are signed, after Standard Webhooks.',
    answers: {
      200: {
        description: 'The same for as long as the key exists.',
        content: { 'application/json': z.object({ secret: z.string() }) },
      },
    },
  })
  secret(@Req() request: FastifyRequest): { secret: string } {
    return { secret: webhookSecret(addressSecretOf(this.config), identityOf(request).id) };
  }
}
