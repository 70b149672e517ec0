import math
def gm(x): return math.exp(sum(map(math.log,x))/len(x)) if x else float('nan')
def write(results,args):
    out=[]
    cost=[];ins=[];best=[]
    for r in results:
        if 'error' in r: out.append('FAIL %s %s'%(r['name'],r['error'])); continue
        v=r['variants']
        for k,x in v.items():
            if 'error' in x: out.append('ERR %s %s %s'%(r['name'],k,x['error']))
        if 'error' in v['semantic'] or 'error' in v['tvm-simplify'] or 'error' in v['none']: continue
        a,b=v['semantic']['counts']['integer'],v['tvm-simplify']['counts']['integer']
        if b>0: cost.append((a/b,r['name']))
        if 'instructions' in v['semantic'] and 'instructions' in v['none']:
            i={k:x.get('instructions',{}).get('O3') for k,x in v.items()}
            ts=[i[k] for k in('tvm','tvm-simplify') if i.get(k)]
            ins.append((i['semantic']/i['tvm'],r['name']))
            best.append((i['semantic']/min([i['none']]+ts[:1]),r['name'],i))
    out.append('cost n=%d geo %.4f above: %s'%(len(cost),gm([max(c,1e-3) for c,_ in cost]),[(round(c,3),n) for c,n in cost if c>1.0000001]))
    out.append('instr n=%d geo vs tvm %.4f'%(len(ins),gm([c for c,_ in ins])))
    out.append('vs best geo %.4f, above 1.02: %d'%(gm([b[0] for b in best]),sum(b[0]>1.02 for b in best)))
    for b,n,i in sorted(best,key=lambda t:t[0],reverse=True):
        if b>1.02: out.append('  %.3f %s %s'%(b,n,i))
    return '\n'.join(out)
