/* Generated from the endpoint values by `node cli/write-tables.ts`. */

import {
  read,
  write,
  list,
  wholeList,
  cursorList,
  iteratorList,
  exported,
  type OperationTree,
} from '../operation.ts';

export const operatorOperations = {
  workspace: {
    create: write('workspace/create'),
  },
  operator: {
    tokens: {
      add: write('operator/tokens/add'),
      list: list('operator/tokens/list'),
      revoke: write('operator/tokens/revoke'),
    },
    workspaces: {
      list: list('operator/workspaces/list'),
      get: read('operator/workspaces/get'),
      disable: write('operator/workspaces/disable'),
      enable: write('operator/workspaces/enable'),
    },
    keys: {
      list: list('operator/keys/list'),
      get: read('operator/keys/get'),
      disable: write('operator/keys/disable'),
      enable: write('operator/keys/enable'),
      authTokens: {
        reset: write('operator/keys/authtoken/reset'),
      },
      delete: write('operator/keys/delete'),
      deletion: {
        get: read('operator/keys/deletion/get'),
      },
    },
    jobs: {
      list: list('operator/jobs/list'),
      get: read('operator/jobs/get'),
      retry: write('operator/jobs/retry'),
      cancel: write('operator/jobs/cancel'),
    },
    webhooks: {
      health: list('operator/webhooks/health'),
      pause: write('operator/webhooks/pause'),
      resume: write('operator/webhooks/resume'),
      recover: write('operator/webhooks/recover'),
    },
    events: {
      outbox: list('operator/events/outbox'),
      poison: {
        list: list('operator/events/poison/list'),
        retry: write('operator/events/poison/retry'),
        discard: write('operator/events/poison/discard'),
      },
    },
    processes: {
      list: list('operator/processes/list'),
    },
    logLevel: {
      update: write('operator/loglevel/update'),
      get: read('operator/loglevel/get'),
    },
    usage: {
      get: list('operator/usage/get'),
    },
    limits: {
      get: read('operator/limits/get'),
      update: write('operator/limits/update'),
    },
    auditLog: {
      get: list('operator/auditlog/get'),
      export: exported('operator/auditlog/export'),
    },
  },
} satisfies OperationTree;

export const workspaceOperations = {
  workspace: {
    get: read('workspace/get'),
    apiKeys: {
      create: write('workspace/apikey/create'),
      update: write('workspace/apikey/update'),
      disable: write('workspace/apikey/disable'),
      enable: write('workspace/apikey/enable'),
      delete: write('workspace/apikey/delete'),
      deletion: {
        get: read('workspace/apikey/deletion/get'),
      },
      get: list('workspace/apikeys/get'),
    },
    authTokens: {
      get: read('workspace/authtokens/get'),
      reset: write('workspace/authtoken/reset'),
      add: write('workspace/authtokens/add'),
      list: read('workspace/authtokens/list'),
      revoke: write('workspace/authtokens/revoke'),
    },
    usage: {
      get: list('workspace/usage/get'),
    },
    jobs: {
      list: list('workspace/jobs/list'),
    },
    auditLog: {
      get: list('workspace/auditlog/get'),
      export: exported('workspace/auditlog/export'),
    },
  },
} satisfies OperationTree;

export const apiKeyOperations = {
  workspace: {
    domains: {
      add: write('workspace/domains/add'),
      delete: write('workspace/domains/delete'),
      get: read('workspace/domains/get'),
    },
    apiKeyConfig: {
      get: read('workspace/apikeyconfig/get'),
      update: write('workspace/apikeyconfig/update'),
    },
    activityConfig: {
      get: read('workspace/activityconfig/get'),
      update: write('workspace/activityconfig/update'),
    },
    notificationConfig: {
      get: read('workspace/notificationconfig/get'),
      update: write('workspace/notificationconfig/update'),
    },
    advancedWebhookConfig: {
      get: read('workspace/advancedwebhookconfig/get'),
      update: write('workspace/advancedwebhookconfig/update'),
    },
    permissionProviderConfig: {
      get: read('workspace/permissionproviderconfig/get'),
      update: write('workspace/permissionproviderconfig/update'),
    },
    emailConfig: {
      get: read('workspace/emailconfig/get'),
      update: write('workspace/emailconfig/update'),
      test: write('workspace/emailconfig/test'),
    },
    slackConfig: {
      get: read('workspace/slackconfig/get'),
      update: write('workspace/slackconfig/update'),
      test: write('workspace/slackconfig/test'),
    },
    webhookConfig: {
      get: read('workspace/webhookconfig/get'),
      update: write('workspace/webhookconfig/update'),
    },
    emailSuppressions: {
      add: write('workspace/emailsuppressions/add'),
      get: read('workspace/emailsuppressions/get'),
      delete: write('workspace/emailsuppressions/delete'),
    },
    advancedWebhook: {
      endpoints: {
        create: write('workspace/advancedwebhook/endpoints/create'),
        get: iteratorList('workspace/advancedwebhook/endpoints/get'),
        update: write('workspace/advancedwebhook/endpoints/update'),
        delete: write('workspace/advancedwebhook/endpoints/delete'),
        secret: {
          get: read('workspace/advancedwebhook/endpoints/secret/get'),
          rotate: write('workspace/advancedwebhook/endpoints/secret/rotate'),
        },
        test: write('workspace/advancedwebhook/endpoints/test'),
        attempts: {
          get: iteratorList('workspace/advancedwebhook/endpoints/attempts/get'),
        },
        messages: {
          get: iteratorList('workspace/advancedwebhook/endpoints/messages/get'),
          resend: write('workspace/advancedwebhook/endpoints/messages/resend'),
        },
        recover: write('workspace/advancedwebhook/endpoints/recover'),
        stats: {
          get: read('workspace/advancedwebhook/endpoints/stats/get'),
        },
        health: {
          get: list('workspace/advancedwebhook/endpoints/health/get'),
        },
      },
      eventTypes: {
        get: read('workspace/advancedwebhook/eventtypes/get'),
      },
    },
  },
  auth: {
    permissions: {
      add: write('auth/permissions/add'),
      remove: write('auth/permissions/remove'),
      get: read('auth/permissions/get'),
      check: read('auth/permissions/check'),
    },
    generateToken: write('auth/generate_token'),
  },
  organizations: {
    add: write('organizations/add'),
    get: list('organizations/get'),
    search: list('organizations/search'),
    update: write('organizations/update'),
    delete: write('organizations/delete'),
    access: {
      disableState: {
        update: write('organizations/access/disablestate/update'),
      },
    },
  },
  documents: {
    add: write('organizations/documents/add'),
    get: list('organizations/documents/get'),
    search: list('organizations/documents/search'),
    count: {
      get: read('organizations/documents/count/get'),
    },
    update: write('organizations/documents/update'),
    delete: write('organizations/documents/delete'),
    move: write('organizations/documents/move'),
    access: {
      update: write('organizations/documents/access/update'),
      disableState: {
        update: write('organizations/documents/access/disablestate/update'),
      },
    },
    migrate: write('organizations/documents/migrate'),
    getMigrationStatus: read('organizations/documents/migrate/status'),
  },
  folders: {
    add: write('organizations/folders/add'),
    get: wholeList('organizations/folders/get', 'folderId'),
    update: write('organizations/folders/update'),
    delete: write('organizations/folders/delete'),
    access: {
      update: write('organizations/folders/access/update'),
    },
  },
  users: {
    add: write('users/add'),
    get: list('users/get'),
    search: list('users/search'),
    count: {
      get: read('users/count/get'),
    },
    doc: {
      get: list('users/doc/get'),
    },
    update: write('users/update'),
    delete: write('users/delete'),
    data: {
      delete: write('users/data/delete'),
      getDeletionStatus: read('users/data/delete/status'),
      verifyReceipt: read('users/data/delete/receipt/verify'),
      get: list('users/data/get'),
    },
  },
  userGroups: {
    add: write('organizations/usergroups/add'),
    users: {
      add: write('organizations/usergroups/users/add'),
      delete: write('organizations/usergroups/users/delete'),
    },
  },
  activities: {
    add: write('activities/add'),
    get: list('activities/get'),
    update: write('activities/update'),
    delete: write('activities/delete'),
  },
  notifications: {
    add: write('notifications/add'),
    get: list('notifications/get'),
    update: write('notifications/update'),
    delete: write('notifications/delete'),
    config: {
      get: read('notifications/config/get'),
      set: write('notifications/config/set'),
    },
    deliveries: {
      get: list('notifications/deliveries/get'),
    },
    explain: read('notifications/explain'),
  },
  commentAnnotations: {
    add: write('commentannotations/add'),
    get: list('commentannotations/get'),
    count: {
      get: read('commentannotations/count/get'),
    },
    update: write('commentannotations/update'),
    delete: write('commentannotations/delete'),
    viewed: {
      set: write('commentannotations/viewed/set'),
    },
    comments: {
      add: write('commentannotations/comments/add'),
      get: list('commentannotations/comments/get'),
      update: write('commentannotations/comments/update'),
      delete: write('commentannotations/comments/delete'),
      reactions: {
        add: write('commentannotations/comments/reactions/add'),
        delete: write('commentannotations/comments/reactions/delete'),
      },
    },
  },
  crdt: {
    add: write('crdt/add'),
    get: wholeList('crdt/get'),
    list: list('crdt/list'),
    update: write('crdt/update'),
    delete: write('crdt/delete'),
  },
  agents: {
    executions: {
      add: write('agents/execution/add'),
      update: write('agents/execution/update'),
      get: read('agents/execution/get'),
      list: cursorList('agents/execution/list'),
      count: read('agents/execution/count'),
    },
  },
  recordings: {
    add: write('recordings/add'),
    get: list('recordings/get'),
    delete: write('recordings/delete'),
  },
  rewriter: {
    askAi: write('rewriter/ask-ai'),
  },
  jobs: {
    get: read('jobs/get'),
    list: list('jobs/list'),
    cancel: write('jobs/cancel'),
  },
  usage: {
    get: list('usage/get'),
  },
  overview: {
    get: read('overview/get'),
  },
} satisfies OperationTree;
